"""A provider for ir_measures: its measures by truerank's engine, with its own names, parameters and results.

After `install()` everything that goes through ir_measures uses it: `calc`, `calc_aggregate`, `iter_calc`,
`evaluator`, and packages that build on it, such as PyTerrier. `python -m truerank.interop.ir_measures` is the
`ir_measures` command with it.
"""

from truerank.interop.ir_measures.evaluation import install, main, provider
from truerank.interop.ir_measures.measures import metrics, their_measure

__all__ = ["install", "main", "metrics", "provider", "their_measure"]
