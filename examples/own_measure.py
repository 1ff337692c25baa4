"""Add a measure of your own: a function over the hits. Parsing, rules, per-query values and tables come with it."""

import truerank as tr


@tr.measure("Depth", average="mean", unit=False, formula="rank of the last relevant document found")
def depth(hits: tr.Hits, *, level: float = 1):
    """How far a reader must go to see every relevant document that was returned; 0 when none was."""
    found = hits.relevant(level)
    return found.last_value(found.rank)


qrels = {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}}
run = {"q1": ["a", "x", "b"], "q2": ["y", "c"]}
print(tr.evaluate(qrels, run, ["Depth", "Depth(level=2)"]).mean)
