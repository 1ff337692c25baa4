"""Gates for continuous integration: pass, fail or undecided, never on a hunch."""

from truerank.check.deciding import check
from truerank.check.gates import Limit, limit_of
from truerank.check.result import Check, Verdict
from truerank.check.settings import Settings, read_settings

__all__ = ["Check", "Limit", "Settings", "Verdict", "check", "limit_of", "read_settings"]
