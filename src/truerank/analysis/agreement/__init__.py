"""How much runs agree, without any judgements: two of them query by query, or every two of many."""

from truerank.analysis.agreement.pair import Agreement, agreement
from truerank.analysis.agreement.several import Agreements, agreements

__all__ = ["Agreement", "Agreements", "agreement", "agreements"]
