"""What is compared: a function a line of the table."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import data
import groups
import people
import places
from tables import Line
from timing import MEGABYTE, PEERS, SLOW_RUNS, TRUERANK, Skipped, Times, Worker, alternate, process

MEASURES = "nDCG@10 AP RR P@10 R@100"
TREC_EVAL_MEASURES = ("-m", "ndcg_cut.10", "-m", "map", "-m", "recip_rank", "-m", "P.10", "-m", "recall.100")

QUERIES_OF_ALL = 700
"""With 1,000 rows each, of the file for what looks at every row."""

AGREEMENT = "import sys; from truerank.analysis.agreement import agreement; agreement(*sys.argv[1:])"


@dataclass(frozen=True)
class Bench:
    """Where the files are and how often work is done.

    Attributes:
        queries: how many the big file has.
        full: everything, however long it takes.
    """

    directory: Path
    queries: int
    runs: int
    full: bool

    @cached_property
    def files(self) -> tuple[Path, Path]:
        """The judgements and the run of the big file, which is made for whom asks first."""
        data.big(self.directory, self.queries)
        return self.directory / "big.qrels", self.directory / "big.run"

    @property
    def few_runs(self) -> int:
        """How often work is done that takes longer than 20 seconds."""
        return self.runs if self.full else min(self.runs, SLOW_RUNS)

    def turns(self, *works: Callable[[], float]) -> tuple[Times, ...]:
        """The times of works done in turns."""
        return alternate(self.runs, *works, patient=self.full)

    def five_measures(self) -> float:
        """The seconds of `truerank eval`, from start to exit."""
        return process(TRUERANK, "eval", *self.files, "-m", MEASURES).seconds


@dataclass(frozen=True)
class Subject:
    """A line to measure: what --only calls it, what it says, and how."""

    key: str
    work: str
    measure: Callable[[Bench], Line]


def reference() -> str:
    """Where trec_eval is."""
    binary = os.environ.get("TREC_EVAL")
    if not binary:
        raise Skipped("TREC_EVAL=path says where the reference tool is")
    if not shutil.which(binary):
        raise Skipped(f"TREC_EVAL={binary} is no program")
    return binary


def python(code: str, *arguments: Path) -> Callable[[], float]:
    """The seconds of Python code as a whole process, with one thread for matrices, as the command line has."""
    once = "import os; os.environ['OPENBLAS_NUM_THREADS'] = '1'"
    return lambda: process(sys.executable, "-c", f"{once}\n{code}", *arguments).seconds


def by_groups(form: str) -> Callable[[Bench], Line]:
    def measure(bench: Bench) -> Line:
        binary = reference()
        arguments = ("-R", form, "-m", groups.FORMATS[form], *groups.files(bench.directory, form))
        ours, theirs = (*(TRUERANK, "trec_eval"), *arguments), (binary, *arguments)
        times = bench.turns(lambda: process(*ours).seconds, lambda: process(*theirs).seconds)
        return faster("trec_eval", times, 10)

    return measure


def against_trec_eval(bench: Bench) -> Line:
    command = (reference(), *TREC_EVAL_MEASURES, *bench.files)
    tiny = TRUERANK, "eval", *data.tiny(bench.directory)
    works = bench.five_measures, lambda: process(*command).seconds, lambda: process(*tiny).seconds
    *times, start = bench.turns(*works)
    return faster(
        "trec_eval", tuple(times), 45, f"of that, {start} are an evaluation of 3 queries, nearly all starting"
    )


def against_library(library: str, target: float, kind: str = "file") -> Callable[[Bench], Line]:
    def measure(bench: Bench) -> Line:
        with (
            Worker(kind, "truerank", *bench.files) as ours,
            Worker(kind, library, *bench.files) as theirs,
        ):
            times = bench.turns(ours, theirs)
            cold = f"importing and warming up took {theirs.warm_up:.1f} s, which does not count"
            return faster(library, times, target, f"{difference(ours.mean, theirs.mean)}; {cold}")

    return measure


def against_md5sum(bench: Bench) -> Line:
    needs("md5sum")
    return faster("md5sum", bench.turns(bench.five_measures, lambda: process("md5sum", bench.files[1]).seconds), 1)


def memory(bench: Bench) -> Line:
    """On the big file, and with --full on two ten times as long: longer answers, and more queries."""
    small = max(peak(bench.files) for _ in range(bench.runs))
    target = "under 150 MB; the same"
    if not bench.full:
        remark = "the longer files (2.5 GB) are made and read with --full only"
        return Line(f"{small:.0f} MB", "", f"{small:.0f} MB", target, None, str(bench.runs), remark)
    longer = peak_of_size(bench, bench.queries, 10_000)
    more = peak_of_size(bench, 10 * bench.queries, 1000)
    is_met = max(small, longer, more) < 150 and longer < 1.2 * small
    remark = f"the same for answers ten times as long (within a fifth); ten times the queries {more:.0f} MB"
    cells = (f"{small:.0f} MB", f"ten times as long {longer:.0f} MB", f"{longer / small:.2f}", target)
    return Line(*cells, is_met, f"{bench.runs}, 1", remark)


def peak(files: Sequence[Path]) -> float:
    """The most memory that an evaluation takes, in MB."""
    return process(TRUERANK, "eval", *files, "-m", MEASURES).peak / MEGABYTE


def peak_of_size(bench: Bench, queries: int, rows: int) -> float:
    """The same for files of another size, which are made and removed."""
    with data.for_once(bench.directory / "ten", queries, rows) as files:
        return peak(files)


def all_trec(bench: Bench) -> Line:
    command = (TRUERANK, "trec_eval", "-m", "all_trec", "-q", *bench.files)
    every, five = bench.turns(lambda: process(*command).seconds, bench.five_measures)
    return at_most(every, five, 2, "5 measures")


def all_rows(work: str, queries: int = QUERIES_OF_ALL) -> Callable[[Bench], Line]:
    """What looks at every row of a run: its time against that of an evaluation of the same file, and its memory."""

    def measure(bench: Bench) -> Line:
        directory = bench.directory / "all"
        directory.mkdir(exist_ok=True)
        data.big(directory, queries)
        qrels, run = directory / "big.qrels", directory / "big.run"
        command = {
            "bounds": (TRUERANK, "bounds", qrels, run, "-m", MEASURES),
            "agreement": (sys.executable, "-c", AGREEMENT, run, run),
        }[work]
        runs = {"bounds": [run], "agreement": [run, run]}[work]
        evaluation = (TRUERANK, "eval", qrels, *runs, "-m", MEASURES)
        peaks: list[float] = []

        def ours() -> float:
            done = process(*command)
            peaks.append(done.peak / MEGABYTE)
            return done.seconds

        line = at_most(*bench.turns(ours, lambda: process(*evaluation).seconds), 3, "evaluating them")
        remark = f"peak memory {max(peaks):.0f} MB; under 200 MB is wanted"
        return replace(line, is_met=bool(line.is_met) and max(peaks) < 200, remark=remark)

    return measure


SCRIPT = ("installed", "script")
"""A script that imports pytrec_eval: with truerank in its place, and as it is."""


def dicts(
    queries: int, rows: int, target: float, each: tuple[str, str] = ("truerank", "pytrec_eval")
) -> Callable[[Bench], Line]:
    def measure(bench: Bench) -> Line:
        size = (str(queries), str(rows))
        with Worker("dicts", each[0], *size) as ours, Worker("dicts", each[1], *size) as theirs:
            times = bench.turns(ours, theirs)
            return faster("pytrec_eval", times, target, difference(ours.mean, theirs.mean))

    return measure


def on_truerank(name: str, queries: int, target: float) -> Callable[[Bench], Line]:
    """What is built on pytrec_eval or ir_measures, with truerank in the place of that, and as it is."""

    def measure(bench: Bench) -> Line:
        python = PEERS if PEERS.exists() else sys.executable
        works = (("pipeline", name, by, str(queries), "1000") for by in ("truerank", "alone"))
        ours, theirs = (Worker(*work, python=python) for work in works)
        with ours, theirs:
            return faster("itself", bench.turns(ours, theirs), target, difference(ours.mean, theirs.mean))

    return measure


def judged_dicts(queries: int, judged: int, rows: int) -> Callable[[Bench], Line]:
    """Many judgements, which both read anew each time."""

    def measure(bench: Bench) -> Line:
        size = (str(queries), str(judged), str(rows))
        with Worker("judged", "truerank", *size) as ours, Worker("judged", "pytrec_eval", *size) as theirs:
            return faster("pytrec_eval", bench.turns(ours, theirs), 1, difference(ours.mean, theirs.mean))

    return measure


def diversity(bench: Bench) -> Line:
    """Judgements of aspects, from the files to the numbers."""
    files = data.of_aspects(bench.directory)
    with Worker("aspects", "truerank", *files) as ours, Worker("aspects", "pyndeval", *files) as theirs:
        return faster("pyndeval", bench.turns(ours, theirs), 20, difference(ours.mean, theirs.mean))


def small_file(bench: Bench) -> Line:
    files = data.tiny(bench.directory)
    ours, start = bench.turns(lambda: process(TRUERANK, "eval", *files).seconds, python("import numpy"))
    return under(ours, 0.1, f"starting Python and importing NumPy alone takes {start}")


def help_text(bench: Bench) -> Line:
    return under(bench.turns(lambda: process(TRUERANK, "--help").seconds)[0], 0.15)


def compressed(pack: Callable[[Path], Path], target: float, *tool: str) -> Callable[[Bench], Line]:
    def measure(bench: Bench) -> Line:
        needs(tool[0])
        qrels, run = bench.files
        path = pack(run)
        command = (TRUERANK, "eval", qrels, path, "-m", MEASURES)
        times = bench.turns(lambda: process(*command).seconds, lambda: process(*tool, path).seconds)
        return at_most(*times, target, " ".join(tool), f"peak memory {peak((qrels, path)):.0f} MB")

    return measure


def people_by_sorting(spread: str) -> Callable[[Bench], Line]:
    def measure(bench: Bench) -> Line:
        ours, sorting, worst = people.market(bench.runs, spread)
        return faster("argsort + loops", (ours, sorting), 15, agreed(worst))

    return measure


def people_memory(bench: Bench) -> Line:
    with tempfile.TemporaryDirectory() as directory:
        most = people.memory(Path(directory))
    return Line(f"{most:.0f} MB", "", f"{most:.0f} MB", "under 400 MB", most < 400, "1")


def crowd(kind: str) -> Callable[[Bench], Line]:
    def measure(bench: Bench) -> Line:
        ours, product, peak = people.crowd(bench.few_runs, kind)
        each = people.CROWD / people.CROWDS[kind][0]
        return at_most(ours, product, 2, "product", f"{each:.0f} are right for each; peak memory {peak:.0f} MB")

    return measure


def nearest(bench: Bench) -> Line:
    ours, tree, remark = places.cities(bench.runs)
    return faster("BallTree", (ours, tree), 10, remark)


def results(bench: Bench) -> Line:
    return at_most(*places.results(bench.runs, bench.directory), 2, "orjson")


def harness_cost(work: str) -> Callable[[Bench], Line]:
    def measure(bench: Bench) -> Line:
        import harness

        cost = getattr(harness, work)(bench.runs)
        value = f"{cost.value:.3g} {cost.unit}"
        return Line(value, "", value, f"under {cost.most:g} {cost.unit}", cost.is_met, str(bench.runs))

    return measure


SUBJECTS = (
    Subject("trec_eval", "whole process, 5 measures, against trec_eval", against_trec_eval),
    Subject("groups", "`trec_eval -R qrels_jg`, run of 100 MB, against trec_eval", by_groups("qrels_jg")),
    Subject("prefs", "`trec_eval -R prefs -m all_prefs`, run of 100 MB, against trec_eval", by_groups("prefs")),
    Subject("pytrec_eval", "file to numbers, against pytrec_eval (warm)", against_library("pytrec_eval", 20)),
    Subject("ir_measures", "file to numbers, against ir_measures (warm)", against_library("ir_measures", 40)),
    Subject("ranx", "file to numbers, against ranx (warm)", against_library("ranx", 60)),
    Subject("cwl", "RBP, INST, BPM …, file to numbers, against cwl-eval", against_library("cwl", 20, "readers")),
    Subject("md5sum", "whole process, 5 measures, against md5sum of the run", against_md5sum),
    Subject("memory", "peak memory, whole process", memory),
    Subject("all_trec", "`trec_eval -m all_trec -q`, against 5 measures", all_trec),
    Subject("bounds", "`truerank bounds`, 700,000 rows, 5 measures, against 5 measures", all_rows("bounds")),
    Subject("agreement", "agreement of two runs, 700,000 rows each, against 5 measures", all_rows("agreement")),
    Subject("dicts", "dict of dicts, 6,980 × 1,000", dicts(6980, 1000, 12)),
    Subject("small-dicts", "dict of dicts, 50 × 100", dicts(50, 100, 1)),
    Subject("judged-dicts", "dict of dicts, 129,000 judgements of 100 queries × 100", judged_dicts(100, 1290, 100)),
    Subject("installed", "a script of pytrec_eval's, 6,980 × 1,000", dicts(6980, 1000, 4, SCRIPT)),
    Subject("installed-small", "the same, 1 query × 10 documents", dicts(1, 10, 1, SCRIPT)),
    Subject("provider", "ir_measures by the provider, dicts of 6,980 × 1,000", on_truerank("ir_measures", 6980, 4)),
    Subject("scored-docs", "the same of its ScoredDoc, 698 × 1,000", on_truerank("scored-docs", 698, 1)),
    Subject("pyterrier", "PyTerrier's Experiment by it, 698 × 1,000", on_truerank("pyterrier", 698, 1)),
    Subject("beir", "BEIR's evaluate on truerank, 6,980 × 1,000", on_truerank("beir", 6980, 1)),
    Subject("mteb", "MTEB's calculate_retrieval_scores, 698 × 1,000", on_truerank("mteb", 698, 1)),
    Subject("diversity", "α-nDCG, ERR-IA, strec of 200 × 1,000 documents, 10 aspects each", diversity),
    Subject("small-file", "`truerank eval` on 3 queries, whole process", small_file),
    Subject("help", "`truerank --help`, whole process", help_text),
    Subject("gzip", "run in gzip, whole process, against zcat", compressed(data.zipped, 1, "zcat")),
    Subject("bgzip", "the same in bgzip's members", compressed(data.of_members, 1, "zcat")),
    Subject("zstd", "the same in one frame of zstd", compressed(data.of_one_frame, 2.5, "zstd", "-dcq")),
    Subject(
        "zstd-frames", "the same in frames of 8 MB, as of pzstd", compressed(data.of_frames, 2, "zstd", "-dcq")
    ),
    Subject("people", "CMC, mAP, mINP of 3,368 × 19,732 scores of a good model", people_by_sorting("market")),
    Subject("people-hard", "CMC, mAP, mINP of 3,368 × 19,732 scores of a bad model", people_by_sorting("hard")),
    Subject("people-memory", "3,368 × 19,732 × 512 from files, peak memory, whole process", people_memory),
    Subject("crowd", "60,000 × 60,000 × 128 to CMC, mAP, mINP, a good model", crowd("crowd")),
    Subject("crowd-hard", "60,000 × 60,000 × 128 to CMC, mAP, mINP, a bad model", crowd("crowd-hard")),
    Subject("crowd-many", "the same, a bad model and 20 times as many right ones", crowd("crowd-many")),
    Subject("nearest", "nearest of 170,391 cities to 28,298 airports, against BallTree (haversine)", nearest),
    Subject("results", "10,000 FAISS JSON files of 100, against parsing them", results),
    Subject("harness", "`truerank bench`: a call that does nothing, closed loop", harness_cost("between_calls")),
    Subject("harness-lag", "`truerank bench`: how late calls start in an open loop, p99", harness_cost("lag")),
)


def faster(peer: str, times: tuple[Times, ...], target: float, remark: str = "") -> Line:
    """How many times as long the peer takes."""
    ours, theirs = times
    ratio = theirs.median / ours.median
    goal = "not slower" if target == 1 else f"at least {target:g} times as fast"
    cells = (str(ours), f"{peer} {theirs}", f"{ratio:.{1 if ratio >= 2 else 2}f} times as fast", goal)
    return Line(*cells, ratio >= target, counted(ours, theirs), remark)


def at_most(ours: Times, theirs: Times, target: float, peer: str, remark: str = "") -> Line:
    """How much longer than the other it takes."""
    ratio = ours.median / theirs.median
    cells = (str(ours), f"{peer} {theirs}", f"{ratio:.2f} times its time", f"at most {target:g} times")
    return Line(*cells, ratio <= target, counted(ours, theirs), remark)


def under(ours: Times, target: float, remark: str = "") -> Line:
    """The seconds themselves."""
    return Line(str(ours), "", str(ours), f"under {target:g} s", ours.median < target, counted(ours), remark)


def counted(*times: Times) -> str:
    """How often each was run; one number when all were as often."""
    return ", ".join(dict.fromkeys(str(len(each.seconds)) for each in times))


def difference(ours: dict[str, float], theirs: dict[str, float]) -> str:
    """What the speed is worth: whether both came to the same numbers."""
    return agreed(max(abs(ours[name] - theirs[name]) for name in ours))


def agreed(worst: float) -> str:
    """How far apart both are."""
    return (
        "both came to the same means, to the last bit" if worst == 0 else f"the means differ by at most {worst:.1g}"
    )


def needs(program: str) -> None:
    if not shutil.which(program):
        raise Skipped(f"there is no {program}")
