"""Gates for continuous integration: pass, fail or undecided, never on a hunch."""

from truerank.analysis.check.deciding import check
from truerank.analysis.check.gates import Limit, limit_of
from truerank.analysis.check.result import Check, Verdict
from truerank.analysis.check.settings import Settings, read_settings
from truerank.analysis.check.watching import Watch

__all__ = ["Check", "Limit", "Settings", "Verdict", "Watch", "check", "limit_of", "read_settings"]
