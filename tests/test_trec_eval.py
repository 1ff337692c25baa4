"""trec_eval's own bytes: against its recorded output, against the program itself where there is one, and by hand."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truerank.errors import InputError, TruerankError
from truerank.trec import Options, TrecEvalError, lines, trec_eval
from truerank.trec.catalog import CATALOG, NICKNAMES
from truerank.trec.columns import columns

ROBUST = Path(__file__).parent.parent.parent / "shared" / "data" / "robust03"
RUNS = ("InexpC2", "NLPR03vb10", "humR03dc", "pircRBa1", "rutcor03100", "uic0301")
REFERENCES = {9: os.environ.get("TREC_EVAL_9"), 10: os.environ.get("TREC_EVAL")}
CASES = int(os.environ.get("TREC_EVAL_CASES", "300"))


def printed(*arguments: str | Path) -> str:
    return b"".join(trec_eval(Options.parse(list(map(str, arguments))))).decode()


# --- recorded output ----------------------------------------------------------------------------------


@pytest.mark.skipif(not ROBUST.is_dir(), reason="the recorded TREC 2003 runs are not here")
@pytest.mark.parametrize("compat", [9, 10])
@pytest.mark.parametrize("run", RUNS)
def test_six_trec_runs_print_the_recorded_bytes(run, compat):
    golden = gzip.decompress((ROBUST / "golden" / f"{run}.te{compat}.txt.gz").read_bytes()).decode()
    options = ["--compat", str(compat), "-c", "-q", "-m", "all_trec", "-m", "relstring.20"]
    assert printed(*options, ROBUST / "qrels.txt.gz", ROBUST / f"{run}.run.gz") == golden


# --- the program itself -------------------------------------------------------------------------------

TOPICS = ("1", "2", "10", "q-1", "é")
DOCS = ("a", "b", "c", "d", "B", "a1", "a#b", "é", "zz", "d-10", "d-9", "0")
GRADES = (-2, -1, 0, 0, 0, 1, 1, 1, 2, 3, 12)
SCORES = ("1", "1.0", "2", "0.5", "-3.25", "0.123456789", "0.123456788", "1e-3", "7", "6", "5")
MEASURES = (
    *("map", "gm_map", "gm_bpref", "Rprec", "bpref", "recip_rank", "infAP", "binG", "G", "ndcg", "ndcg_rel", "Rndcg"),
    *("P", "P.1,3", "recall.2,1", "ndcg_cut.1,2,5", "map_cut.3", "relative_P.2", "success.2", "num_q", "num_ret"),
    *("num_rel", "num_rel_ret", "runid", "relstring", "relstring.3", "iprec_at_recall", "iprec_at_recall.0.33,.5"),
    *("Rprec_mult", "Rprec_mult.0.5,1.5", "utility", "utility.2,-1,-.5,0.25", "11pt_avg", "11pt_avg.0,.5,1"),
    *("set_P", "set_recall", "set_map", "set_relative_P", "set_F", "set_F.4", "set_F.0.5", "num_nonrel_judged_ret"),
    *("yaap", "G.1=2,2=5", "ndcg_rel.1=3,0=1", "Rndcg.2=4", "official", "set", "all_trec"),
    *("dcg", "ideal_dcg", "rbp", "rbp.p=0.8", "rbp_resid", "rbp_resid.p=0.5", "unj", "unj.1,4"),
)
SINCE_10 = ("dcg", "ideal_dcg", "rbp", "unj")


def files(rng: random.Random) -> tuple[str, str]:
    """Small qrels and a small run: ties, missing and extra topics, documents that nobody judged."""
    judged = rng.sample(TOPICS, rng.randint(1, 4))
    answered = rng.sample(TOPICS, rng.randint(1, 4)) if rng.random() < 0.5 else judged
    ending = rng.choice(("\n", "\n", "\r\n"))
    qrels, run = [], []
    for topic in judged:
        docs = rng.sample(DOCS, rng.randint(1, 9))
        grades = [rng.choice(GRADES) for _ in docs]
        grades[0] = max(0, grades[0])  # the reference stops, or crashes, at a topic without a grade of at least 0
        qrels += [f"{topic} 0 {doc} {grade}" for doc, grade in zip(docs, grades, strict=True)]
    for topic in answered:
        docs = rng.sample(DOCS, rng.randint(1, 12))
        run += [f"{topic}\tQ0 {doc} {rng.randint(0, 9)} {rng.choice(SCORES)} tag{rng.randint(0, 9)}" for doc in docs]
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
    wanted = rng.choice(([], ["all_trec"], ["rbp"], ["dcg.1=5,2=7"], ["ndcg.1=3,2=9,3=1", "map"], rng.sample(MEASURES, rng.randint(1, 8))))
    known = [name for name in wanted if compat == 10 or not name.startswith(SINCE_10)]
    return some + [word for name in known for word in ("-m", name)]


def reference(compat: int, arguments: list[str]) -> tuple[str, int]:
    done = subprocess.run([str(REFERENCES[compat]), *arguments], capture_output=True, check=False)
    return done.stdout.decode(), done.returncode


def ours(compat: int, arguments: list[str]) -> tuple[str, int]:
    try:
        return printed("--compat", str(compat), *arguments), 0
    except TrecEvalError as error:
        return "", error.status
    except InputError:
        return "", 2


def is_explained(theirs: str, arguments: list[str]) -> bool:
    """Whether a line of the reference shows a fault that docs/trec_eval.md lists."""
    undefined = "nan" in theirs
    alone = arguments.count("-m") == 1
    return undefined or (theirs.startswith("rbp") and not theirs.startswith("rbp_resid") and not alone)


@pytest.mark.parametrize("compat", [9, 10])
def test_random_files_and_options_print_the_same_bytes(compat, tmp_path):
    if not REFERENCES[compat]:
        pytest.skip("TREC_EVAL (10) and TREC_EVAL_9 name the programs to compare with; they are not set")
    rng = random.Random(os.environ.get("TREC_EVAL_SEED", "truerank"))
    for _ in range(CASES):
        compare(rng, compat, tmp_path)


def compare(rng: random.Random, compat: int, folder: Path) -> None:
    qrels, run = folder / "qrels", folder / "run"
    texts = files(rng)
    for path, text in zip((qrels, run), texts, strict=True):
        path.write_text(text, "utf-8", newline="")
    arguments = [*flags(rng, compat), str(qrels), str(run)]
    theirs, status = reference(compat, arguments)
    mine, end = ours(compat, arguments)
    context = f"{arguments}\n{texts[0]}\n{texts[1]}"
    assert end == status, context
    if status == 0:
        pairs = list(zip(theirs.splitlines(), mine.splitlines(), strict=True))
        differing = [pair for pair in pairs if pair[0] != pair[1] and not is_explained(pair[0], arguments)]
        assert differing == [], context
