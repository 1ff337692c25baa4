"""What clicks say: which system users prefer, and how a run would have scored."""

from truerank.analysis.clicks.interleaving import Interleaving, Preference, interleaving
from truerank.analysis.clicks.ips import Estimate, Ips, ips

__all__ = ["Estimate", "Interleaving", "Ips", "Preference", "interleaving", "ips"]
