"""What the tests of `truerank trec_eval` share: random files and options, the program itself, small texts."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from truerank.core.errors import TruerankError
from truerank.interop.trec_eval import Options, TrecEvalError, trec_eval
from truerank.interop.trec_eval.columns import columns
from truerank.interop.trec_eval.status import FILES

REFERENCES = {9: os.environ.get("TREC_EVAL_9"), 10: os.environ.get("TREC_EVAL")}

Rows = list[list[str]]

QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 d -1\n3 0 z 1\n"
RUN = "1 Q0 a 1 3.0 t\n1 Q0 b 1 3.0 t\n1 Q0 x 1 2.0 t\n2 Q0 d 1 2.0 t\n2 Q0 a 1 1.0 t\n3 Q0 z 1 1.0 last one\n"


def printed(*arguments: str | Path) -> str:
    return b"".join(trec_eval(Options.parse(list(map(str, arguments))))).decode()


def written(folder: Path, qrels: str, run: str) -> list[str]:
    """The paths of two files that hold these texts."""
    for name, text in (("qrels", qrels), ("run", run)):
        (folder / name).write_text(text, "utf-8", newline="")
    return [str(folder / "qrels"), str(folder / "run")]


def fields(text: str) -> list[list[str]]:
    return [[field.strip() for field in line.split("\t")] for line in text.splitlines()]


def rows(folder: Path, options: str, qrels: str = QRELS, run: str = RUN) -> Rows:
    """What is printed for two texts."""
    return fields(printed(*options.split(), *written(folder, qrels, run)))


def refusal(evaluate: Callable[..., Rows], *arguments: str) -> tuple[str, int]:
    """What is said, and the exit status."""
    with pytest.raises(TruerankError) as caught:
        evaluate(*arguments)
    return str(caught.value), caught.value.status if isinstance(caught.value, TrecEvalError) else FILES


def reference(compat: int, arguments: list[str]) -> tuple[str, int]:
    done = subprocess.run([str(REFERENCES[compat]), *arguments], capture_output=True, check=False)
    return done.stdout.decode(), done.returncode


def ours(compat: int, arguments: list[str]) -> tuple[str, int]:
    try:
        return printed("--compat", str(compat), *arguments), 0
    except TruerankError as error:
        return "", error.status if isinstance(error, TrecEvalError) else FILES


TOPICS = ("1", "2", "10", "q-1", "é")
DOCS = ("a", "b", "c", "d", "B", "a1", "a#b", "é", "zz", "d-10", "d-9", "0")
GRADES = (-2, -1, 0, 0, 0, 1, 1, 1, 2, 3, 12)
SCORES = ("1", "1.0", "2", "0.5", "-3.25", "0.123456789", "0.123456788", "1e-3", "7", "6", "5")
MEASURES = """
    map gm_map gm_bpref Rprec bpref recip_rank infAP binG G ndcg ndcg_rel Rndcg yaap official set all_trec
    P P.1,3 recall.2,1 ndcg_cut.1,2,5 map_cut.3 relative_P.2 success.2 num_q num_ret num_rel num_rel_ret
    runid relstring relstring.3 iprec_at_recall iprec_at_recall.0.333,.33,.5 11pt_avg 11pt_avg.0,.5,1
    Rprec_mult Rprec_mult.0.5,1.5 utility utility.2,-1,-.5,0.25 set_P set_recall set_map set_relative_P
    set_F set_F.4 set_F.0.5 num_nonrel_judged_ret G.1=2,2=5 ndcg_rel.1=3,0=1 Rndcg.2=4 ndcg.1=3,0=-2 G.1=-1
    dcg ideal_dcg rbp rbp.p=0.8 rbp_resid rbp_resid.p=0.5 unj unj.1,4
"""
SINCE_10 = ("dcg", "ideal_dcg", "rbp", "unj")


def files(rng: random.Random) -> tuple[str, str]:
    """Small qrels and a small run: ties, missing and extra topics, unjudged documents."""
    judged = rng.sample(TOPICS, rng.randint(1, 4))
    answered = rng.sample(TOPICS, rng.randint(1, 4)) if rng.random() < 0.5 else judged
    ending = rng.choice(("\n", "\n", "\r\n"))
    qrels, run = [], []
    for topic in judged:
        docs = rng.sample(DOCS, rng.randint(1, 9))
        grades = [rng.choice(GRADES) for _ in docs]
        grades[0] = max(0, grades[0])  # at a topic without a grade from 0 the reference stops, or crashes
        qrels += [f"{topic} 0 {doc} {grade}" for doc, grade in zip(docs, grades, strict=True)]
    for topic in answered:
        docs = rng.sample(DOCS, rng.randint(1, 12))
        run += [f"{topic}\tQ0 {doc} {rng.randint(0, 9)} {rng.choice(SCORES)} t{len(run)}" for doc in docs]
    for rows in (qrels, run) if rng.random() < 0.3 else ():
        rng.shuffle(rows)
    return "".join(line + ending for line in qrels), "".join(line + ending for line in run)


def flags(rng: random.Random, compat: int) -> list[str]:
    """Some options, in one of the ways in which they can be written."""
    some: list[str] = []
    some += rng.choice(([], ["-q"], ["--query_eval_wanted"], ["-qn"]))
    some += rng.choice(([], ["-c"], ["-c"], ["--complete"]))
    some += rng.choice(([], [], ["-l2"], ["-l", "3"], ["--level_for_rel=0"]))
    some += rng.choice(([], [], ["-J"]))
    some += rng.choice(([], [], ["-M", "2"], ["-M5"]))
    some += rng.choice(([], ["-N", "100"]))
    with_gains = (["dcg.1=5,2=7"], ["ndcg.1=3,2=9,3=1", "map"])
    wanted = rng.choice(([], ["all_trec"], ["rbp"], *with_gains, rng.sample(MEASURES.split(), rng.randint(1, 8))))
    known = [name for name in wanted if compat == 10 or not name.startswith(SINCE_10)]
    return some + [word for name in known for word in ("-m", name)]


def repeated(rng: random.Random, run: str) -> str:
    """The run with one of its documents once more, in the same topic."""
    rows = run.splitlines(keepends=True)
    row = rng.randrange(len(rows))
    topic, doc = rows[row].split()[0], rows[row].split()[2]
    return "".join([*rows[: row + 1], f"{topic} Q0 {doc} 1 {rng.choice(SCORES)} again\n", *rows[row + 1 :]])


def deviations(rng: random.Random) -> str:
    """Means and deviations for -Z, with a last measure and a last topic: the reference reads one beyond."""
    names = [column.name for column in columns(["all_trec"], 10)]
    known = [
        f"{topic} {name} {rng.random():.3f} {rng.choice((0, 0.1, 2))}\n"
        for topic in rng.sample(TOPICS, 4)
        for name in [*rng.sample(names, 60), "~"]
    ]
    return "".join([*known, "\N{LATIN SMALL LETTER Y WITH DIAERESIS} ~ 0 1\n"])
