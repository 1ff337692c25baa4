"""Rules: presets, files, and what each rule does to a number."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import pytest

import truerank as tr
from truerank.core.rules import CHOICES, MEANINGS, Rules, common, presets

QRELS = {"1": {"a": 1, "b": 2}, "2": {"c": 1}, "3": {}}
RUN = {"1": {"a": 2.0, "x": 1.0}, "9": {"z": 1.0}}


def mean(measure: str = "RR", **rules: object) -> float:
    return tr.evaluate(QRELS, RUN, measure, rules=rules).mean[measure]


def test_rules_are_any_mapping_of_their_fields():
    assert tr.Rules.of(MappingProxyType({"level": 2})) == tr.Rules.of({"level": 2})


def test_a_missing_query_scores_zero_by_default():
    assert mean() == 1 / 3


def test_missing_queries_can_be_left_out():
    assert mean(missing="skip") == 1.0


def test_missing_queries_can_be_refused():
    with pytest.raises(tr.InputError, match="query 2 is judged but not answered"):
        mean(missing="error")


def test_extra_queries_can_be_refused():
    with pytest.raises(tr.InputError, match="query 9 is not judged"):
        mean(extra="error")


def test_queries_without_relevant_documents_can_be_left_out():
    assert mean(without_relevant="skip") == 1 / 2


def test_an_empty_answer_is_right_where_nothing_is_relevant():
    assert mean(without_relevant="empty-is-right") == 2 / 3


def test_the_level_decides_what_is_relevant():
    assert mean(level=2) == 0.0


def test_fractional_grades_and_levels_work():
    assert tr.evaluate({"q": {"a": 0.7, "b": 0.4}}, {"q": ["b", "a"]}, "RR", rules={"level": 0.5}).mean == {
        "RR": 0.5
    }


def test_single_precision_ties_scores_that_differ_in_the_last_digits():
    run = {"q": {"a": 0.123456789, "b": 0.123456788}}
    assert [
        tr.evaluate({"q": ["a"]}, run, "RR", rules=name).mean["RR"] for name in ("trec_eval-10", "trec_eval-9")
    ] == [1, 0.5]


@pytest.mark.parametrize(("ties", "value"), [("doc-descending", 0.5), ("doc-ascending", 1.0), ("input", 0.5)])
def test_ties_follow_the_rule(ties, value):
    assert tr.evaluate({"q": ["a"]}, {"q": {"b": 1.0, "a": 1.0}}, "RR", rules={"ties": ties}).mean == {"RR": value}


def test_recall_points_follow_the_rule():
    qrels, run = {"q": list("abc")}, {"q": ["a", "x", "b"]}
    values = [
        tr.evaluate(qrels, run, "IPrec@0.4", rules={"recall_points": rule}).mean["IPrec@0.4"]
        for rule in ("round", "up", "definition")
    ]
    assert values == [1.0, 2 / 3, 2 / 3]


def test_queries_without_relevant_documents_can_be_refused():
    with pytest.raises(tr.InputError, match="query 3 has no relevant document"):
        mean(without_relevant="error")


def test_an_empty_answer_can_count_as_none():
    run = {"1": {"a": 1.0}, "2": {}, "3": {}}
    both = [tr.evaluate(QRELS, run, "RR", rules={"missing": "skip", "empty": e}) for e in ("answered", "missing")]
    assert [(scores.mean["RR"], scores.ledger.answered) for scores in both] == [(1 / 3, 3), (1.0, 1)]


def test_judged_documents_that_did_not_come_back_can_be_unknown():
    scores = tr.evaluate(QRELS, RUN, "R@5 nDCG", rules={"unreturned": "ignore"})
    assert [round(value, 4) for value in scores.per_query()["1"].values()] == [1.0, 1.0]
    assert round(tr.evaluate(QRELS, RUN, "R@5").mean["R@5"], 4) == 0.1667


@pytest.mark.parametrize(
    ("rule", "value"), [("first", 5 / 6), ("last", 7 / 12), ("count", (1 + 2 / 3 + 3 / 4) / 2), ("once", 3 / 4)]
)
def test_a_repeated_document_counts_as_the_rule_says(rule, value):
    scores = tr.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "x", "a", "b"]}, "AP", rules={"duplicates": rule})
    assert scores.mean["AP"] == pytest.approx(value, abs=1e-15)


def test_the_default_is_the_preset_of_the_same_name():
    assert Rules.named("truerank") == Rules() == Rules.of(None)


def test_every_preset_reads_and_names_itself():
    assert all(Rules.named(name).name == name and Rules.of(name) == Rules.named(name) for name in presets())
    assert {"truerank", "trec_eval-10", "trec_eval-9", "science-qa"} <= set(presets())


def test_rules_that_change_a_preset_are_not_called_by_its_name():
    changed = Rules.named("market1501").replace(distractor_identities=(), depth=10)
    assert Rules.of(changed).name == "market1501 with depth=10, distractor_identities=none"
    assert Rules.of(Rules.of(changed)).name == Rules.of(changed).name
    assert Rules.of(Rules(junk_identities=(1, 2))).name == "truerank with junk_identities=1,2"
    assert "Rules: truerank with level=2." in str(tr.evaluate(QRELS, RUN, "RR", rules=Rules(level=2)))
    assert "Rules: truerank with level=2." in str(tr.explain(QRELS, RUN, "1", "RR", rules=Rules(level=2)))


def test_rules_that_are_the_same_under_another_name_keep_it():
    same = Rules.named("trec_eval-9").replace(measures=("AP",), level=1.0)
    assert Rules.of(same).name == "trec_eval-9"
    assert Rules.of(Rules(name="mine", level=2)).name == "mine"
    assert Rules(name="mine with care").replace(level=2).name == "mine with care"


def test_rules_are_alike_that_give_measures_the_same_values_whatever_they_call_them():
    called = Rules(name="mine", measures=("AP",), vocabulary="readings", readings={"AP": "AP@3"})
    assert called.is_like(Rules())
    assert not called.is_like(Rules(level=2))
    assert common([("a", called), ("b", Rules())]) == called
    assert common([]) is None
    with pytest.raises(tr.RulesError, match="c was made under the rules truerank with level=2, a under truerank"):
        common([("a", Rules()), ("b", Rules()), ("c", Rules(level=2))])
    with pytest.raises(tr.RulesError, match="c was made under the rules other, a under mine:"):
        common([("a", called), ("c", Rules(name="other", level=2))])


PROOFS = {
    "trec_eval-9": "core/test_pytrec_eval.py",
    "trec_eval-10": "core/test_rules_by_hand.py",
    **dict.fromkeys(("ann-benchmarks", "big-ann"), "truth/test_truth_neighbours.py"),
    **dict.fromkeys(("cuhk03", "market1501", "university1652"), "vectors/test_vectors.py"),
    "science-qa": "contest/test_contest.py",
    "sample_eval": "measures/test_strata.py",
}
"""Where presets are proved that no package has, or whose tool is no package; the others are in `peers`."""


@pytest.mark.parametrize("name", [name for name in presets() if name != "truerank"])
def test_every_preset_is_proved(name):
    tests = Path(__file__).parents[1]
    proofs = [tests / PROOFS[name]] if name in PROOFS else sorted((tests / "peers").glob("test_*.py"))
    assert any(f'"{name}"' in proof.read_text("utf-8") for proof in proofs)


@pytest.mark.parametrize("name", ["truerank", "trec_eval-9", "science-qa"])
def test_rules_print_as_a_file_that_reads_the_same(name, tmp_path):
    path = tmp_path / f"{name}.toml"
    text = Rules.named(name).to_toml()
    path.write_text(text)
    assert Rules.of(path) == Rules.named(name)
    assert all(f"# {meaning}" in text for meaning in MEANINGS.values())
    plain = Rules.named(name).to_dict()
    assert Rules.from_dict(plain) == Rules.named(name)
    assert isinstance(plain["measures"], list)


def test_a_rules_file_may_have_any_name_where_its_folder_is_named(tmp_path):
    (tmp_path / "mine").write_text("level = 2\n")
    assert (Rules.of(f"{tmp_path}/mine").name, Rules.of(tmp_path / "mine").level) == ("mine", 2)


def test_a_rules_file_can_extend_a_preset_and_name_measures(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('extends = "trec_eval-9"\nlevel = 2\nmeasures = ["RR", "P@5"]\n')
    rules = Rules.of(path)
    assert (rules.name, rules.level, rules.score_precision) == ("mine", 2, "single")
    assert set(tr.evaluate(QRELS, RUN, rules=path).mean) == {"RR", "P@5"}


def test_every_choice_and_field_is_explained():
    fields = set(Rules().to_dict()) - {"name"}
    assert fields == set(MEANINGS)
    assert set(CHOICES) <= fields


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"tie": "input"}, "no rule is called 'tie'. Did you mean ties?"),
        ({"extends": "msmarco"}, "extends is for files; in Python: Rules.named('msmarco').replace(level=2)"),
        ({"ties": "random"}, "ties is one of doc-descending, doc-ascending, input, not 'random'"),
        ({"level": "high"}, "level is a number"),
        ({"level": [2]}, "level is a number, not [2]"),
        ({"depth": 0}, "depth is a positive whole number"),
        ("trec_eval-11", "no rules named 'trec_eval-11'. Did you mean trec_eval-10?"),
        ("trec-eval", "no rules named 'trec-eval'. Did you mean trec_eval-10 or trec_eval-9? Presets"),
        ("", "no rules named ''. Presets"),
        ("no/such.toml", "no/such.toml: cannot read the rules: No such file"),
    ],
)
def test_wrong_rules_are_explained(rules, message):
    with pytest.raises(tr.TruerankError) as error:
        Rules.of(rules)
    assert message in str(error.value)


def test_a_broken_rules_file_is_explained(tmp_path):
    path = tmp_path / "broken.toml"
    path.write_text("level = = 2")
    with pytest.raises(tr.InputError, match=r"broken\.toml: this is no TOML"):
        Rules.of(path)


def test_a_measures_own_level_wins():
    scores = tr.evaluate(QRELS, RUN, "RR(level=1) RR(level=2)", rules={"level": 2})
    assert scores.mean == {"RR(level=1)": 1 / 3, "RR(level=2)": 0.0}


def test_rules_and_measures_of_another_kind_are_refused_in_a_sentence():
    with pytest.raises(tr.RulesError, match="rules are a preset's name, a file, a dict or Rules, not 5"):
        tr.evaluate({"q": ["a"]}, {"q": ["a"]}, rules=5)
    with pytest.raises(tr.MeasureError, match="measures are named by text, such as nDCG@10, not 5"):
        tr.evaluate({"q": ["a"]}, {"q": ["a"]}, 5)
    with pytest.raises(tr.MeasureError, match=r"such as nDCG@10, not \{'ndcg': 10\}"):  # lost cutoffs
        tr.evaluate({"q": ["a"]}, {"q": ["a"]}, {"ndcg": 10})


def test_a_rules_file_may_begin_with_the_mark_that_editors_on_windows_write(tmp_path):
    (tmp_path / "mine.toml").write_bytes(b'\xef\xbb\xbfextends = "trec_eval-10"\nlevel = 2\n')
    rules = Rules.of(tmp_path / "mine.toml")
    assert (rules.level, rules.extra, rules.missing) == (2, "skip", "error")
