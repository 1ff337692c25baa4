"""How far a score could be off: by the order of equal scores, and by unjudged documents."""

from truerank.analysis.bounds.bounding import bounds
from truerank.analysis.bounds.candidates import Candidate, ToJudge, judge_next
from truerank.analysis.bounds.result import Bounds, Range

__all__ = ["Bounds", "Candidate", "Range", "ToJudge", "bounds", "judge_next"]
