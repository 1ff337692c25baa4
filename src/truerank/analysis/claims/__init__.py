"""What a set of queries can show, and what a table of means that somebody published could ever have shown."""

from truerank.analysis.claims.auditing import audit_table
from truerank.analysis.claims.power import power
from truerank.analysis.claims.result import Claim, Power, PowerRow, TableAudit, Told

__all__ = ["Claim", "Power", "PowerRow", "TableAudit", "Told", "audit_table", "power"]
