"""Every measure on paper: one file per family, as in `truerank.measures`. Importing this registers them all."""

from truerank.analysis.explain.worked import aspects as aspects
from truerank.analysis.explain.worked import binary as binary
from truerank.analysis.explain.worked import calls as calls
from truerank.analysis.explain.worked import cascade as cascade
from truerank.analysis.explain.worked import curves as curves
from truerank.analysis.explain.worked import expectations as expectations
from truerank.analysis.explain.worked import graded as graded
from truerank.analysis.explain.worked import incomplete as incomplete
from truerank.analysis.explain.worked import intents as intents
from truerank.analysis.explain.worked import items as items
from truerank.analysis.explain.worked import nonrelevant as nonrelevant
from truerank.analysis.explain.worked import ranks as ranks
from truerank.analysis.explain.worked import sets as sets
from truerank.analysis.explain.worked.case import Case, Hit
from truerank.analysis.explain.worked.form import Line, Sum, Term, Worked
from truerank.analysis.explain.worked.registry import FORMS, work_out, works

__all__ = ["FORMS", "Case", "Hit", "Line", "Sum", "Term", "Worked", "work_out", "works"]
