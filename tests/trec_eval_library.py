"""trec_eval as pytrec_eval has it compiled, asked for what pytrec_eval does not ask it: judgements of groups.

A process of its own, since C code may take others with it: prints {topic: {measure: value}} as JSON.

    python trec_eval_library.py FORMAT JUDGEMENTS RUN MEASURE…
"""

from __future__ import annotations

import ctypes
import json
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_long, c_void_p
from pathlib import Path
from typing import Any

OPTIONS = (
    *("query_flag", "summary_flag", "debug_level", "debug_query", "relation_flag", "average_complete_flag"),
    *("judged_docs_only_flag", "num_docs_in_coll", "relevance_level", "max_num_docs_per_topic"),
    *("rel_info_format", "results_format", "zscore_flag", "meas_arg"),
)


class Asked(Structure):
    _fields_ = [("measure", c_char_p), ("parameters", c_char_p)]


class Given(Structure):
    _fields_ = [(name, c_long if name != "meas_arg" else POINTER(Asked)) for name in OPTIONS]


class Value(Structure):
    _fields_ = [("name", c_char_p), ("value", c_double)]


class Values(Structure):
    _fields_ = [("qid", c_char_p), ("queries", c_long), ("values", POINTER(Value)), ("n", c_long), ("room", c_long)]


class Answer(Structure):
    _fields_ = [("qid", c_char_p), ("run", c_char_p), ("format", c_char_p), ("rows", c_void_p)]


class Judged(Structure):
    _fields_ = [("qid", c_char_p), ("format", c_char_p), ("rows", c_void_p)]


class Answers(Structure):
    _fields_ = [("n", c_long), ("room", c_long), ("each", POINTER(Answer))]


class Judgements(Structure):
    _fields_ = [("n", c_long), ("room", c_long), ("each", POINTER(Judged))]


class Listed(Structure):
    pass


Listed._fields_ = [
    *(("name", c_char_p), ("explanation", c_char_p)),
    ("init", ctypes.CFUNCTYPE(c_int, POINTER(Given), POINTER(Listed), POINTER(Values))),
    (
        "calc",
        ctypes.CFUNCTYPE(c_int, POINTER(Given), POINTER(Judged), POINTER(Answer), POINTER(Listed), POINTER(Values)),
    ),
    *((name, c_void_p) for name in ("acc", "avg", "single", "final", "parameters")),
    ("index", c_long),
]


class Library:
    """The compiled code."""

    def __init__(self) -> None:
        import pytrec_eval_ext

        self.code = ctypes.CDLL(pytrec_eval_ext.__file__)
        size = c_int.in_dll(self.code, "te_num_trec_measures").value
        self.listed = {
            one.contents.name: one for one in (POINTER(Listed) * size).in_dll(self.code, "te_trec_measures")
        }
        self.nicknames = {b"all_prefs": [name for name in self.listed if name.startswith(b"prefs_")]}

    def values(
        self, form: str, judgements: Path, run: Path, measures: tuple[str, ...]
    ) -> dict[str, dict[str, float]]:
        """{topic: {measure: value}} for the topics of both files, which must be free of faults."""
        asked = [text.encode().partition(b".")[::2] for text in measures]
        names = [name for nick, _ in asked for name in self.nicknames.get(nick, [nick])]
        arguments = (Asked * (len(asked) + 1))(*[pair for pair in asked if pair[1]])
        given = Given(relevance_level=1, max_num_docs_per_topic=2**62, summary_flag=1, meas_arg=arguments)
        values, judged, answers = Values(), Judgements(), Answers()
        assert getattr(self.code, f"te_get_{form}")(byref(given), str(judgements).encode(), byref(judged)) == 1
        assert self.code.te_get_trec_results(byref(given), str(run).encode(), byref(answers)) == 1
        chosen = [self.listed[name] for name in names]
        for one in chosen:
            assert one.contents.init(byref(given), one, byref(values)) == 1
        return dict(self._each(given, chosen, values, judged, answers))

    def _each(self, given: Given, chosen: list[Any], values: Values, judged: Judgements, answers: Answers) -> Any:
        own = {judged.each[n].qid: judged.each[n] for n in range(judged.n)}
        for answer in (answers.each[n] for n in range(answers.n)):
            if answer.qid not in own:
                continue
            for n in range(values.n):
                values.values[n].value = 0.0
            for one in chosen:
                assert (
                    one.contents.calc(byref(given), byref(own[answer.qid]), byref(answer), one, byref(values)) >= 0
                )
            each = (values.values[n] for n in range(values.n))
            yield answer.qid.decode(), {value.name.decode(): value.value for value in each}


if __name__ == "__main__":
    form, judged, run, *measures = sys.argv[1:]
    json.dump(Library().values(form, Path(judged), Path(run), tuple(measures)), sys.stdout)
