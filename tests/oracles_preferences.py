"""The oracle of the measure of preferences: every pair of judged documents, looked at one by one."""

from __future__ import annotations

from itertools import combinations

from oracles import Answer, oracle, over


@oracle("Prefs", of_judgements=True)
def preferences(answer: Answer, pairs: str = "judged") -> float:
    judged = sorted(grade for grade in answer.judged if grade >= 0)
    found = [grade for grade in answer.ranked if grade is not None and grade >= 0]
    missing = list(judged)
    for grade in found:
        missing.remove(grade)
    kept = sum(one > two for one, two in combinations(found, 2))
    every = sum(one != two for one, two in combinations(found, 2))
    if pairs != "returned":
        kept += sum(one > two for one in found for two in missing)
        every += sum(one != two for one in found for two in missing)
    if pairs == "judged":
        every += sum(one != two for one, two in combinations(missing, 2))
    return over(kept, every)
