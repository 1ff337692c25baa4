"""Options that several commands take, and what their values mean."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, partial, wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
from click.core import ParameterSource
from click.types import FloatParamType

from truerank.cli import importing
from truerank.cli.repeats import distinct
from truerank.core.errors import InputError, RulesError
from truerank.core.messages import message
from truerank.core.rules import CHOICES, MEANINGS, Rules, name_with, presets
from truerank.core.vocabulary import DEFAULT, checked
from truerank.formats import formats
from truerank.measures import measures as known_measures

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from truerank.core.run import Run

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Number = TypeVar("Number", int, float)


class _File(click.Path):
    """The name of a file; an empty one is a mistake, such as an empty variable of the shell."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not value:
            self.fail(message("an empty name is that of no file"), param, ctx)
        return super().convert(value, param, ctx)


FILE = _File(allow_dash=True)
FOLDER = _File(file_okay=False)


class _Fraction(FloatParamType):
    """A fraction, for which people may type a percentage."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value).endswith("%"):
            self.fail(message("{value!r} is a percentage; give a fraction: 0.05 is 5 %", value=value), param, ctx)
        return super().convert(value, param, ctx)


FRACTION = _Fraction()


class FractionRange(_Fraction, click.FloatRange):
    """A fraction within limits."""


def completing(known: Callable[[], Iterable[str]]) -> Callable[..., list[str]]:
    """What the shell offers for the last word of what was begun: the known ones that begin like it, in any case."""
    return lambda ctx, param, typed: [
        typed[: len(typed) - len(begun)] + word
        for begun in [typed.replace(",", " ").rpartition(" ")[2]]
        for word in known()
        if word.lower().startswith(begun.lower())
    ]


def files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """What the shell offers where a file stands, as in FILE:COLUMN: its own names of files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def presets_or_files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """What it offers for rules: the presets that begin so; files where there is none."""
    return completing(presets)(ctx, param, incomplete) or files(ctx, param, incomplete)


def numbers(texts: Iterable[str], number: Callable[[str], Number], option: str) -> list[Number]:
    """Numbers with commas between them, of an option that may be repeated."""
    words = [word for text in texts for word in text.replace(",", " ").split()]
    try:
        return [number(word) for word in words]
    except ValueError:
        said = message(
            "{option} takes numbers with commas between them, not {text!r}.", option=option, text=" ".join(texts)
        )
        raise click.UsageError(said) from None


def fractions(ctx: click.Context, param: click.Parameter, text: str | None) -> list[float] | None:
    """The numbers of an option that is given once."""
    return None if text is None else numbers([text], float, param.opts[-1])


def _some(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """The measures as they were typed; a text without any is a mistake, such as an empty variable of the shell."""
    if value and not " ".join(value).strip(" ,"):
        raise click.BadParameter(message("no measure is named; name some: nDCG@10 AP"), ctx, param)
    return value


imports = click.option(
    "--import",
    "imports",
    multiple=True,
    metavar="MODULE|FILE.py",
    callback=importing.before,
    expose_value=False,
    help="Import it first: it registers measures of your own; may be repeated.",
    shell_complete=files,
)


def measures_as(help: str) -> Callable[[Decorated], Decorated]:
    """The measures, with help of a command's own."""
    return click.option(
        "-m",
        "--measures",
        multiple=True,
        metavar="MEASURES",
        callback=_some,
        help=help,
        shell_complete=completing(known_measures),
    )


NAMED = f"what the rules name, or else {' '.join(DEFAULT)}"
"""What is evaluated where no measures are asked for."""


def measures_of(what: str, default: str) -> Callable[[Decorated], Decorated]:
    """The measures, and what has to be imported to know them: what happens to them, and to which by default."""
    help = f'{what}, e.g. "nDCG@10 P@1,5 AP"; may be repeated [default: {default}].'
    return lambda command: measures_as(help)(imports(command))


measures = measures_of("What to evaluate", NAMED)


as_written = click.option(
    "--as-written", is_flag=True, help="Head the columns with the names of measures as they were asked for."
)


def rules_as(help: str, default: str | None = None) -> Callable[[Decorated], Decorated]:
    """The rules, with help of a command's own."""
    return click.option(
        "-r", "--rules", metavar="NAME|FILE", default=default, help=help, shell_complete=presets_or_files
    )


rules = rules_as("A preset or a rules file: `truerank rules` lists them [default: truerank].")
changes = click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="FIELD=VALUE",
    help="Change one rule, e.g. level=2 or depth=100; may be repeated.",
    shell_complete=completing(
        lambda: [f"{field}={w}" for field in MEANINGS for w in ("", *CHOICES.get(field, ()))]
    ),
)


def format(*names: str, help: str) -> Callable[[Decorated], Decorated]:
    """An option that names a file format."""
    return click.option(*names, metavar="FORMAT", help=help, shell_complete=completing(formats))


def by(what: str) -> Callable[[Decorated], Decorated]:
    """What the queries are cut into slices by, and what there is of each slice."""
    return click.option(
        "--by",
        metavar="FILE:COLUMN",
        shell_complete=files,
        help=f"{what}: those with the same value in this column of a CSV, TSV, JSON lines or Parquet file that has "
        "a column query_id.",
    )


baseline = click.option(
    "--baseline",
    metavar="NAME|N",
    help="Compare the others to this run: its file's name, or its number, from 1 [default: compare every two].",
)
queries = click.option(
    "--queries",
    metavar="FILE",
    type=FILE,
    help="The texts of queries, to show beside ids: JSON lines, JSON, TSV, CSV, Parquet or TREC's topics.",
)
docs = click.option(
    "--docs",
    metavar="FILE",
    type=FILE,
    help="The texts of documents, such as BEIR's corpus.jsonl, in the same forms.",
)
items = click.option(
    "--items",
    metavar="FILE",
    type=FILE,
    help="What could be listed, for Coverage, Gini, Novelty, Serendipity, ILD, AWRF and the like: a table (CSV, "
    "JSON, Parquet) with an id and popularity, groups or vector, or one id per line.",
)
qrels_format = format("--qrels-format", help="The format of QRELS [default: the one it looks like].")
run_format = format("--run-format", help="The format of the runs [default: the one each looks like].")
threads = click.option(
    "--threads",
    type=click.IntRange(1),
    help="How many may read a large plain file [default: as many as there are processors].",
)

Collapse = Callable[["Run"], "Run"]
"""What makes a run of documents of one of chunks."""

COLLAPSING = ("how", "chunk_ids")
"""The options of `collapsed`."""

_collapse = click.option(
    "--collapse",
    "how",
    type=click.Choice(["max", "first", "sum", "maxP", "firstP", "sumP"], case_sensitive=False),
    metavar="max|first|sum",
    help="Make documents of the chunks in the runs: a document scores as its best chunk, as the one that stands "
    "first in it, or their sum; maxP, firstP, sumP are understood.",
)
_chunk_ids = click.option(
    "--ids",
    "chunk_ids",
    metavar="RULE",
    help="Which document a chunk is of, for --collapse: a pattern such as '(.+)-(\\d+)', FILE:COLUMN of a table of "
    "chunks, or id, where rows repeat documents' ids [default: what d7#2 and d7_chunk_2 say].",
)


def collapse(command: Decorated) -> Decorated:
    """How chunks become documents."""
    return _collapse(_chunk_ids(command))


def collapsed(command: Callable[..., Any]) -> Callable[..., Any]:
    """How chunks become documents: one value, what makes a run of documents of one of chunks."""

    @wraps(command)
    def asked(*args: Any, how: str | None, chunk_ids: str | None, **given: Any) -> Any:
        return command(*args, collapse=collapsing(how, chunk_ids), **given)

    return collapse(asked)


def uncollapsed(run: Run) -> Run:
    """The run as it is: nothing was said of chunks."""
    return run


def collapsing(how: str | None, ids: str | None) -> Collapse:
    """What makes a run of documents of one of chunks; without a way, what leaves it as it is.

    Raises:
        InputError: a rule without a way, or one that is none.
    """
    if how is None:
        if ids is not None:
            raise click.UsageError(message("--ids is for --collapse: say how, --collapse max"))
        return uncollapsed
    from truerank.truth.chunks import read_rule
    from truerank.truth.collapsing import collapse

    rule = cache(partial(read_rule, ids))  # once for all runs, and only where one is read
    return lambda run: collapse(run, how=how, ids=rule())


_judged_by = click.option(
    "--judged-by",
    metavar="QRELS",
    type=FILE,
    help="People's judgements of some queries, in place of QRELS; with --predicted-by.",
)
_predicted_by = click.option(
    "--predicted-by",
    metavar="QRELS",
    type=FILE,
    help="A model's judgements of all queries: they sharpen the estimate and cannot bias it.",
)
_sample = click.option(
    "--sample",
    metavar="random|FILE",
    help="How the queries that people judged were chosen: at random, or with the probabilities in a table with the "
    "columns query_id and probability.",
)


class Judgements(NamedTuple):
    """People's judgements of some queries and a model's of all, as files, and how people's were chosen."""

    people: str
    model: str
    sample: str
    qrels_format: str | None

    @property
    def files(self) -> list[str]:
        """What is read."""
        return [self.people, self.model, *([self.sample] if self.sample != "random" else [])]

    def runs(self, first: str, rest: Sequence[str]) -> tuple[str, ...]:
        """All given files: there are no other judgements, so that the first is a run too.

        Raises:
            InputError: standard input, which cannot be read twice.
        """
        if "-" in (first, *rest):
            raise InputError("a run is read twice here, against both judgements: write it to a file first", "-")
        return first, *rest


def judgements(command: Callable[..., Any]) -> Callable[..., Any]:
    """Whose judgements these are, and how people's were chosen: one value, None where there are plain qrels."""

    @wraps(command)
    def asked(*args: Any, judged_by: str | None, predicted_by: str | None, sample: str | None, **given: Any) -> Any:
        if (judged_by or predicted_by or sample) and given.get("systems"):
            raise click.UsageError(message("--system is not for --judged-by: each run is estimated by itself."))
        return command(
            *args, judgements=judgements_of(judged_by, predicted_by, sample, given["qrels_format"]), **given
        )

    return _judged_by(_predicted_by(_sample(asked)))


def judgements_of(
    judged_by: str | None, predicted_by: str | None, sample: str | None, qrels_format: str | None
) -> Judgements | None:
    """The judgements that are asked for; None where nothing is said of them.

    Raises:
        TruerankError: one without the other, or nothing said of the sample.
    """
    if not (judged_by or predicted_by or sample):
        return None
    if not (judged_by and predicted_by):
        raise click.UsageError(message("--judged-by, --predicted-by and --sample belong together: give all three."))
    if not sample:
        from truerank.analysis.compare.sampling import SAY_HOW

        raise InputError(SAY_HOW)
    return Judgements(judged_by, predicted_by, sample, qrels_format)


def changed(rules: Rules | str | None, changes: Sequence[str]) -> Rules:
    """The rules with single fields changed, and a name that says so.

    >>> changed(changed(None, ["level=2"]), ["level=3"]).name
    'truerank with level=3'
    """
    rules = checked(Rules.of(rules))
    if not changes:
        return rules
    fields: list[tuple[str, Any]] = []
    for change in changes:
        field, equals, value = change.partition("=")
        if not equals:
            raise RulesError("--set takes field=value, e.g. level=2; not {change!r}", change=change)
        _refuse_parameter(field.strip(), value.strip())
        fields.append((field.strip(), _value(field.strip(), value.strip())))
    made = rules.replace(**distinct(fields, "--set"))
    if made.name not in presets():
        made = made.replace(name=name_with(rules.name, changes))
    return checked(Rules.of(made))  # which calls a preset's by what they change of it


def _refuse_parameter(field: str, value: str) -> None:
    """Refuse what is no rule, but a parameter of measures."""
    if hasattr(Rules, field):  # nearly always; all measures are those of other packages too, which takes longer
        return
    taking = [one for one in known_measures().values() if field in one.parameters and field != one.at]
    if not taking:
        return
    example = min(taking, key=lambda one: one.name != "nDCG")
    raise RulesError(
        "{key} is no rule, but a parameter of measures: write it with the measure, {measure}, "
        "or in the [readings] of a rules file",
        key=field,
        measure=f"{example.name}({field}={value})" + ("@10" if example.at in example.parameters else ""),
    )


def typed() -> list[click.Option]:
    """The options of the command that runs which were typed."""
    called = click.get_current_context()
    every = [param for param in called.command.params if isinstance(param, click.Option)]
    return [o for o in every if called.get_parameter_source(o.name or "") is ParameterSource.COMMANDLINE]


def typed_of(names: Collection[str]) -> list[str]:
    """How those of these options that were typed are written, in the order of the help."""
    return [option.opts[-1] for option in typed() if option.name in names]


def file_and_column(by: str | None) -> tuple[str, str]:
    """What --by says, both empty where it is not given."""
    if by is None:
        return "", ""
    from truerank.analysis.compare import slices

    return slices.file_and_column(by)


def bundled(words: Iterable[str], option: str) -> Iterator[str | list[str]]:
    """The words of a command line; all that follow an option, up to the next one, as a list: a shell's *.run.

    >>> list(bundled(["a.qrels", "--run", "x.run", "y.run", "-m", "AP"], "--run"))
    ['a.qrels', '--run', ['x.run', 'y.run'], '-m', 'AP']
    """
    values: list[str] | None = None
    for word in words:
        if values is not None and (word == "-" or not word.startswith("-")):
            values.append(word)
            continue
        yield from [values] if values else []
        values = [] if word == option else None
        yield word
    yield from [values] if values else []


def _value(field: str, text: str) -> Any:
    """The value of a rule; several with commas between them, or none, where the rule is a list of numbers."""
    if field not in ("junk_identities", "distractor_identities", "percent_ranks"):
        return _plain(text)
    return [] if text.lower() == "none" else [_plain(part.strip()) for part in text.split(",")]


def _plain(text: str) -> int | float | str | None:
    """A number if it is one, nothing for none, else the word."""
    if text.lower() == "none":
        return None
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError:
        return text
