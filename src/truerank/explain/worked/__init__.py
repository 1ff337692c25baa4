"""Every measure on paper: a file a family, as in `truerank.measures`. Importing this registers them all."""

from truerank.explain.worked import binary as binary
from truerank.explain.worked import cascade as cascade
from truerank.explain.worked import curves as curves
from truerank.explain.worked import graded as graded
from truerank.explain.worked import incomplete as incomplete
from truerank.explain.worked import nonrelevant as nonrelevant
from truerank.explain.worked import ranks as ranks
from truerank.explain.worked import sets as sets
from truerank.explain.worked.case import Case, Hit
from truerank.explain.worked.form import Line, Sum, Term, Worked
from truerank.explain.worked.registry import FORMS, work_out, works

__all__ = ["FORMS", "Case", "Hit", "Line", "Sum", "Term", "Worked", "work_out", "works"]
