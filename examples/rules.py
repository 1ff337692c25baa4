"""The same run under different rules: why two tools print different numbers."""

import truerank as tr

qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
run = {"1": {"x": 0.123456789, "a": 0.123456788}, "2": {"b": 1.0}}

for rules in ("truerank", "trec_eval-9", {"ties": "doc-ascending", "missing": "skip"}):
    scores = tr.evaluate(qrels, run, ["RR"], rules=rules)
    print(f"{scores.rules.name:12} RR {scores.mean['RR']:.4f} over {len(scores.queries)} queries")
