"""`truerank bench`: a live retriever in, latencies and scores out."""

from __future__ import annotations

import inspect
import os
import re
import tempfile
from collections.abc import Sequence
from typing import Any

import click

from truerank.cli import id_overlap, inputs, latencies, options, tables
from truerank.cli.asking import Asking, apart_from_stdout, interrupted_once, leave_hanging
from truerank.cli.failures import INTERRUPTED
from truerank.cli.output import spoken, write
from truerank.cli.repeats import distinct
from truerank.core.errors import InputError
from truerank.core.messages import message
from truerank.formats import read_qrels
from truerank.formats.compression import suffix_of, unpacked_name
from truerank.live import alternate, compare, sweep
from truerank.live.latency import FIGURES
from truerank.live.plan import ARRIVALS
from truerank.live.result import Bench
from truerank.live.running import bench
from truerank.live.storage import dumped
from truerank.live.sweep import LOADS, THROUGHPUT
from truerank.present import bench as report
from truerank.present import pareto
from truerank.present.document import Document
from truerank.present.renderers import FORMATS, figures

TIMES = "e.g. 30s, 500ms, 2m or a number of seconds"
UNITS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def seconds(text: str) -> float:
    """A time: 30s, 500ms, 2m, or a number of seconds."""
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+) *([a-z]*)", text)
    if not match or match[2] not in UNITS:
        raise click.BadParameter(message("{text!r} is no time: give 30s, 500ms or 2m", text=text))
    return float(match[1]) * UNITS[match[2]]


def numbers(text: str) -> tuple[int, ...]:
    """Whole numbers from 1, with commas between them."""
    values = tuple(int(part) if part.strip().isdecimal() else 0 for part in text.split(","))
    if min(values) < 1:
        raise click.BadParameter(
            message("{text!r} is no list of whole numbers of 1 or more: give 1,4,16", text=text)
        )
    return values


@click.command("bench")
@click.argument("targets", metavar="TARGET...", nargs=-1)
@click.option(
    "--queries",
    metavar="FILE",
    type=options.FILE,
    help="What to ask: JSON lines, JSON, TSV, CSV or TREC's topics; or a file of vectors.",
)
@click.option("--qrels", metavar="FILE", type=options.FILE, help="What is right, to score the same answers.")
@click.option(
    "-k",
    "--k",
    "ks",
    type=numbers,
    metavar="N,…",
    default="10",
    help="How many documents to ask for [default: 10].",
)
@click.option(
    "-c",
    "--concurrency",
    type=numbers,
    metavar="N,…",
    default="1",
    help="How many calls may be under way [default: 1].",
)
@click.option("--rate", metavar="N", type=float, help="Calls to start a second, come what may: an open loop.")
@click.option(
    "--arrivals",
    type=click.Choice(ARRIVALS),
    default="constant",
    help="How the starts of an open loop are spaced [default: constant].",
)
@click.option(
    "--duration",
    type=seconds,
    metavar="TIME",
    help=f"How long calls may start, {TIMES}; queries come again and again.",
)
@click.option("--repeats", type=click.IntRange(1), help="How often each query is asked [default: once].")
@click.option(
    "--warmup",
    type=click.IntRange(0),
    default=2,
    help="Calls of each worker before the timed ones; the very first is the cold one [default: 2].",
)
@click.option(
    "--timeout", type=seconds, metavar="TIME", help=f"How long a call may take, {TIMES} [default: any time]."
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Of the orders of the queries [default: 0].")
@click.option(
    "--plain-loop",
    "plain",
    is_flag=True,
    help="As a loop in a notebook does: the first --warmup queries are not timed, the others are asked once each, "
    "in the file's order; percentiles are linear.",
)
@latencies.percentiles
@click.option(
    "--index",
    metavar="NAME",
    help="Time the indexing first: package.module:function, which returns how many documents, or the documents.",
)
@click.option(
    "--ids",
    metavar="RULE",
    help="What an id is: id, metadata[key], hash, a field, a pattern such as '(.+)#\\d+', or FILE:COLUMN of a "
    "table of chunks [default: the library's own; with --collapse what d7#2 and d7_chunk_2 say].",
)
@click.option(
    "--collapse",
    type=click.Choice(["max", "sum", "maxP", "sumP"], case_sensitive=False),
    metavar="max|sum",
    help="Make documents of the chunks that are returned: one result of those with one id, which scores as its "
    "best chunk or their sum; maxP and sumP are understood.",
)
@click.option("--async", "asynchronous", is_flag=True, help="Use the library's asynchronous call.")
@click.option(
    "--option", "given", multiple=True, metavar="NAME=VALUE", help="An option of the target, e.g. method=POST."
)
@click.option(
    "--header", "headers", multiple=True, metavar="TEXT", help="A header of the requests; ${NAME} is filled in."
)
@click.option(
    "--sweep",
    "swept",
    multiple=True,
    metavar="NAME=A,B,…",
    help="Values of a parameter: TARGET is then a function that takes it and returns the retriever.",
)
@click.option("--alternate", "in_turns", is_flag=True, help="Two TARGETs take turns at each query.")
@click.option("--show", metavar="FILE", type=options.FILE, help="Show a saved benchmark, without asking again.")
@click.option("--compare", "pair", nargs=2, metavar="A B", type=options.FILE, help="Compare two saved ones.")
@tables.plot("quality against speed: .svg, .png or .html")
@click.option(
    "--against",
    type=click.Choice((*FIGURES, THROUGHPUT)),
    default="p50",
    help="The speed that a sweep sets quality against, in its picture and its table [default: p50].",
)
@click.option(
    "--save-run",
    metavar="FILE",
    type=options.FILE,
    help="Write the answers as a run, TREC's but for another ending (.jsonl keeps a last call that returned "
    "nothing); of several (x.run) as x.1.run, x.2.run, …",
)
@click.option(
    "-o", "--output", metavar="FILE", type=options.FILE, help="Save all calls and answers as JSON, for --show."
)
@options.qrels_format
@options.items
@options.measures
@options.rules
@options.changes
@tables.printed_format
@tables.digits
def command(
    targets: tuple[str, ...],
    show: str | None,
    pair: tuple[str, str] | None,
    in_turns: bool,
    output: str | None,
    save_run: str | None,
    plot: str | None,
    against: str,
    qrels_format: str | None,
    format: str | None,
    digits: int | None,
    **how: Any,
) -> None:
    """Tell how fast a retriever answers, and how well, from the same calls.

    TARGET is package.module:object (a function of query and k, or a retriever of LangChain, LlamaIndex or
    Haystack), a URL with {query} and {k}, or "cmd: COMMAND", which answers a line of JSON with a line of JSON.

    Without --rate a call starts when one ends. With it calls start by the clock, and latencies count from
    the intended start, so that a stall is charged to everyone who waited. More than one value of -k,
    --concurrency or --sweep gives a row each.

    Exit status: 0 when all is well, 1 when nothing was answered (of a sweep or of two: by one of them) or a run
    ended itself early, as where 100 calls hang, 2 when something cannot be read or run, 130 when it was
    interrupted.

    \b
    Examples:
      truerank bench search:bm25 --queries queries.jsonl --qrels qrels.tsv -o bench.json
      truerank bench "http://localhost:8080/search?q={query}&n={k}" --queries q.tsv --rate 50 --duration 30s
      truerank bench search:bm25 search:dense --alternate --queries q.tsv --qrels qrels.tsv
      truerank bench search:chunks --collapse max --queries q.tsv --qrels qrels.tsv
      truerank bench search:bm25 --index search:build --queries q.tsv --plain-loop
      truerank bench search:index --sweep nprobe=1,4,16 --queries q.tsv --qrels qrels.tsv --plot front.svg
      truerank bench --show bench.json
      truerank bench --compare before.json after.json
    """
    is_saved = bool(show or pair)
    _check(targets, show, pair, in_turns, how)
    read = (how["queries"], how["qrels"], how["items"], inputs.table_of(how["ids"]), show, *(pair or ()))
    inputs.refuse(*read, rules=how["rules"], format="-", output=output, save_run=save_run, plot=plot)
    _refuse_table(output)
    output, save_run, plot = map(_place, (output, save_run, plot))
    if plot:
        _check_plot(is_saved, how)
    if is_saved:
        benches = latencies.saved_benches(map(str, pair or (show,)), how["percentiles"])
    else:
        if how["qrels"]:
            how["qrels"] = read_qrels(how["qrels"], qrels_format)
        with apart_from_stdout(), interrupted_once(), Asking() as asking:
            benches = _asked(targets, in_turns, asking, how)
    if output:  # before all else, which may go wrong
        write(dumped([one.to_dict() for one in benches]).decode(), output)
    if how["qrels"]:
        id_overlap.warn(how["qrels"], benches)
    tables.show(_pages(benches, pair, against, digits), format)
    if plot:
        figures.draw(pareto.figure(benches, against), plot, spoken())
    if save_run:
        _save_runs(benches, save_run)
    if not is_saved:
        status = _status(benches)
        if any(one.outcomes["timeout"] or one.stopped for one in benches):
            leave_hanging(status)
        raise click.exceptions.Exit(status)


def _check(
    targets: Sequence[str], show: str | None, pair: tuple[str, str] | None, in_turns: bool, how: dict[str, Any]
) -> None:
    """What goes together."""
    saved = [name for name, given in (("--show", show), ("--compare", pair)) if given]
    if saved and (targets or how["queries"] or len(saved) > 1):
        raise click.UsageError(
            message("{option} reads what is saved: it takes no TARGET and no queries.", option=saved[0])
        )
    if saved:
        _check_shown(saved[0])
        return
    n = len(targets)
    if in_turns and n != 2:
        raise click.UsageError(message("Give two TARGETs, not {n}.", n=n))
    if not in_turns and n > 1:
        raise click.UsageError(message("Give one TARGET, not {n} (two take turns with --alternate).", n=n))
    if not n:
        raise click.UsageError(message("Give one TARGET, not 0."))
    if not how["queries"]:
        raise click.UsageError(message("Give the queries to ask: --queries FILE."))
    scoring = [option.opts[-1] for option in options.typed() if option.opts[-1] in SCORING]
    if scoring and not how["qrels"]:
        raise click.UsageError(message("{option} needs to know what is right: --qrels FILE.", option=scoring[0]))


def _check_shown(shown: str) -> None:
    """Raise where an option says what is asked or how answers are scored, which was when they were saved."""
    for option in options.typed():
        other = option.opts[-1]
        if other in SCORING:
            raise click.UsageError(
                message(
                    "{option} shows the scores that are saved: it takes no {other}. Its answers as a run, "
                    "--save-run FILE, can be scored anew by `truerank eval`.",
                    option=shown,
                    other=other,
                )
            )
        if option.name not in SHOWING:
            raise click.UsageError(
                message(
                    "{option} shows what is saved: it asks nothing, and takes no {other}.",
                    option=shown,
                    other=other,
                )
            )


SCORING = ("--qrels", "--qrels-format", "--measures", "--rules", "--set", "--items")
"""Options that say how answers are scored."""

SHOWING = ("show", "pair", "output", "save_run", "plot", "against", "percentiles", "imports", "format", "digits")
"""Options that show what is saved; no others go with a saved run."""


def _status(benches: Sequence[Bench]) -> int:
    """How the command ends: 1 where nothing was answered, or a run ended by itself before its end."""
    if any(one.stopped == "interrupted" for one in benches):
        return INTERRUPTED
    return 0 if all(len(one.measured.answered) and not one.stopped for one in benches) else 1


def _place(path: str | None) -> str | None:
    """Where a result goes, wherever the retriever moves to. A run may take long: a wrong place is told first."""
    if path is None or path == "-" or "://" in path:
        return path
    if os.path.isdir(path):
        raise InputError("cannot be written: it is a folder", path)
    try:
        with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))):
            return os.path.abspath(path)
    except OSError as error:
        if os.path.exists(path) and not os.path.isfile(path):  # a device, such as /dev/null
            return path
        raise InputError("cannot be written: {why}", path, why=error.strerror or error) from None


def _refuse_table(output: str | None) -> None:
    """Raise where a table or a picture is expected of the file in which all calls are saved."""
    ending = suffix_of(output or "")
    if ending not in (".json", *tables.PLAIN) and ending[1:2].isalpha():
        format = next((name for name, endings in FORMATS.items() if ending in endings), "FORMAT")
        raise click.UsageError(
            message(
                "-o saves all calls as JSON, for --show: end {path} in .json. `--show FILE.json -f {format}` "
                "prints the table.",
                path=output,
                format=format,
            )
        )


def _check_plot(is_saved: bool, how: dict[str, Any]) -> None:
    """What can be told of a picture before anything is asked."""
    if not is_saved and not _swept(how):
        raise click.UsageError(
            message("--plot draws several settings: more than one -k or --concurrency, or --sweep.")
        )
    if not is_saved and not how["qrels"]:
        raise click.UsageError(message("--plot draws quality against latency: it needs --qrels FILE."))


def _pages(benches: list[Bench], pair: tuple[str, str] | None, against: str, digits: int | None) -> Document:
    """Two that are compared or took turns, one, or those of a sweep."""
    if pair and len(benches) != 2:
        raise InputError("each file should hold one benchmark", pair[0])
    if pair or (len(benches) == 2 and benches[0].beside and benches[0].beside == benches[1].name):
        return report.comparison_document(compare(*benches), digits)
    if len(benches) == 1 and not benches[0].settings:
        return report.document(benches[0], digits)
    return report.sweep_document(benches, against, digits)


def _asked(targets: Sequence[str], in_turns: bool, asking: Asking, how: dict[str, Any]) -> list[Bench]:
    """A live benchmark of one of three kinds."""
    what = {**_arguments(how), "progress": asking.progress}
    over = _swept(how)
    what |= {name: values[0] for name, values in _settings(how).items() if name not in over}
    questions = (how["queries"], how["qrels"])
    if in_turns and not over:
        pair = alternate(targets[0], targets[1], *questions, **what)
        return [pair.a, pair.b]
    if in_turns:
        raise click.UsageError(
            message("--alternate compares two TARGETs under one setting: one -k, one --concurrency.")
        )
    if not over:
        return [bench(targets[0], *questions, **what)]
    return list(sweep(targets[0], *questions, **what, over=over))


def _arguments(how: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the library's call."""
    plain = (
        *("rate", "arrivals", "duration", "repeats", "warmup", "timeout", "seed", "ids", "plain"),
        *("percentiles", "items"),
    )
    collapse = [("collapse", how["collapse"])] if how["collapse"] else []
    given = distinct([*map(_named, how["given"]), *collapse], "--option")
    own = set(inspect.signature(bench).parameters) - {"ids"}
    if taken := [name for name in given if name in own]:
        raise click.UsageError(
            message("--option is for what the target takes; {name} belongs to the benchmark itself.", name=taken[0])
        )
    distinct(((header.partition(":")[0].strip().lower(), header) for header in how["headers"]), "--header")
    if how["headers"]:
        given["headers"] = how["headers"]
    if how["asynchronous"]:
        given["asynchronous"] = True
    given["rules"] = options.changed(how["rules"], how["changes"])
    given["measures"] = " ".join(how["measures"]) or None
    if how["index"]:
        given["index"] = how["index"]
    return {**{name: how[name] for name in plain}, **given}


def _settings(how: dict[str, Any]) -> dict[str, Sequence[Any]]:
    """All settings with their values; one of the load that is swept is not given by its own option too."""
    given = {name: option.opts[0] for option in options.typed() for name in LOADS if f"--{name}" in option.opts}
    over: dict[str, Sequence[Any]] = {"k": how["ks"], "concurrency": how["concurrency"]}
    distinct(((text.partition("=")[0].strip(), text) for text in how["swept"]), "--sweep")
    for text in how["swept"]:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise click.UsageError(message("--sweep takes NAME=A,B,…, e.g. nprobe=1,4,16; not {text!r}", text=text))
        if (name := name.strip()) in given:
            raise click.UsageError(
                message(
                    "{option} and --sweep {name} say the same: give one of them.", option=given[name], name=name
                )
            )
        over[name] = [_value(value.strip()) for value in values.split(",")]
    return over


def _swept(how: dict[str, Any]) -> dict[str, Sequence[Any]]:
    """The settings of a sweep; none where each has one value."""
    settings = _settings(how).items()
    return {name: values for name, values in settings if len(values) > 1 or name not in LOADS}


def _named(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(message("--option takes NAME=VALUE, e.g. method=POST; not {text!r}", text=text))
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    """A number or a truth value if it is one, else the text; what is in quotes is text."""
    import json

    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, int | float | str) else text


def _save_runs(benches: Sequence[Bench], path: str) -> None:
    """The run of one, or of several with numbers before the ending."""
    plain = unpacked_name(path)
    for number, one in enumerate(benches, 1):
        stem, dot, ending = plain.rpartition(".")
        numbered = (f"{stem}.{number}.{ending}" if dot else f"{plain}.{number}") + path[len(plain) :]
        one.save_run(path if len(benches) == 1 else numbered)
