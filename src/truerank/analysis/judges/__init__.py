"""Several judges of the same documents: how much they agree, and whether systems keep their order under each."""

from truerank.analysis.judges.judging import judges
from truerank.analysis.judges.result import Judges

__all__ = ["Judges", "judges"]
