"""Evaluate two systems held in dicts, and look behind the means."""

import truerank as tr

qrels = {
    "bread": {"sourdough": 2, "baguette": 1},
    "tea": {"oolong": 1},
    "soup": {"minestrone": 2},
}
old = {
    "bread": {"baguette": 9.1, "sourdough": 8.7, "toaster": 4.0},
    "tea": {"teapot": 6.2, "oolong": 5.9},
}
new = {**old, "soup": {"minestrone": 3.3, "bowl": 3.3}}

for name, run in {"old": old, "new": new}.items():
    scores = tr.evaluate(qrels, run, ["nDCG@10", "RR"])
    means = ", ".join(f"{measure} {mean:.3f}" for measure, mean in scores.mean.items())
    print(f"{name}: {means}; {scores.ledger.missing} queries missing, {scores.ledger.tied} decided by ties")

# The hits table itself: one row for each judged document that was returned.
hits = tr.rank(qrels, new)
for query, rank, grade in zip(hits.query, hits.rank, hits.grade, strict=True):
    print(f"{hits.queries[query].decode():8} rank {rank}  grade {grade:g}")
