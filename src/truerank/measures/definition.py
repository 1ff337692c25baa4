"""What is known of a measure: its function, its names, and what each parameter may be."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from truerank.core.errors import MeasureError
from truerank.core.hits import Hits
from truerank.core.messages import Message, message
from truerank.core.schema import Kind, keywords_of, kind_of, meaning_of, parameters_of
from truerank.measures.of_run import OfRun
from truerank.measures.parameters import KINDS, resolved
from truerank.measures.sums import PerQuery, geometric_mean, mean, total
from truerank.measures.terms import Terms

Function = Callable[..., PerQuery | Terms | OfRun]

Divisor = Literal["", "relevant", "gain"]

Monotone = Literal["rising", "stepped", "ordered", "no"]
"""How a measure follows its documents, which is what makes bounds exact without trying every possibility.

"rising": it never falls (where less is better, never rises) when a grade rises or a relevant document moves up, so
the best grade for all and none are the extremes.
"stepped": the same, and it knows relevant or not alone, so of any number of relevant documents the first are the
extreme on one side, and the last on the other.
"ordered": of equal scores, the extremes put one grade before another throughout; so they do for those above.
"no": none of these.
"""

FROM_RULES = ("level", "rounding", "gain_from")
"""What the rules decide where a measure leaves it open; so level=1 is not the same as no level."""

DEPTH = "depth"
"""What every measure takes: of this many first results only, as if no more had been returned."""

Need = Literal[
    "", "aspects", "strata", "calls", "lists", "scores", "ids", "catalogue", "popularity", "groups", "vectors"
]
"""What a measure has to see besides the judged documents.

"aspects": which parts of a query a document answers; "strata": which part of the pool it was drawn from, which
stands where aspects do; "calls": which of several lists of a query it is in. The others each with the first of
them: "lists": the unjudged documents of the first ranks too; "scores": which mean the same in every query;
"ids": which documents are the same in several lists; "catalogue": how many there are; "popularity", "groups",
"vectors": what a table of items says of them.
"""

ITEMS: tuple[Need, ...] = ("ids", "catalogue", "popularity", "groups", "vectors")
"""What is asked of all documents that are listed, whatever was judged."""

NEEDS: dict[Need, Message] = {
    "aspects": message(
        "{measure} is about the aspects of a query (subtopics, intents, nuggets), and the judgements have none: "
        "give each its own, as {{query: {{doc: {{aspect: grade}}}}}} or in a column named aspect; where the second "
        "column of TREC qrels names them, say so: iteration = 'aspect' in the rules (--set iteration=aspect)"
    ),
    "strata": message(
        "{measure} is of judgements of samples, and these do not say from which stratum of the pool each document "
        "is: give the qrels of sample_eval.pl, lines of query, 0, document, stratum and grade, or a column named "
        "stratum; where the second column of TREC qrels names it, say so: --set iteration=aspect"
    ),
    "calls": message(
        "{measure} is about several lists per query, and the run has one: give it a column named call, or a "
        "list of lists per query (rules with calls = 'last' leave one list)"
    ),
    "scores": message(
        "{measure} sets the scores of one query against those of others, and this run has ranks in place of "
        "scores: give each document its score, or ask for measures of ranks: AP P@1"
    ),
    **dict.fromkeys(
        ITEMS,
        message(
            "{measure} is of all that is listed, judged or not; `truerank eval` and evaluate() give it, with "
            "--items or items=… where it needs a table of the documents"
        ),
    ),
}
"""What is said where a measure lacks what it needs."""

MEANS: dict[str, Callable[[PerQuery], float]] = {"mean": mean, "sum": total, "geometric": geometric_mean}

RUN = "run"
"""In place of a mean: one number of the whole run, which no query has a part of."""


@dataclass(frozen=True)
class Definition:
    """A registered measure.

    Attributes:
        name: as the field spells it.
        function: hits and keyword parameters in, one float64 a query out; or, of a sum, its terms and its divisor;
            or of a measure of the whole run what `OfRun` says.
        aliases: other names, each with the parameters it stands for, e.g. "relative_P" → {"capped": True}.
        at: the parameter that stands after "@".
        average: how values become one number: mean, sum or geometric; run: there is only the number.
        unit: whether values lie in [0, 1].
        formula: one line of plain text.
        source: paper and year, or the tool it comes from.
        meanings: what it means in place of `meaning` where a parameter has a value, by "parameter=value".
        divides_by: what it has no value without: relevant documents, or some that gain; empty: it always has one.
        monotone: how it follows its documents; None: not declared, and its bounds are never called exact.
        monotone_with: the same in place of `monotone` where a parameter has a value, by "parameter=value".
        sees_judged: whether a document judged wrong is not the same to it as an unjudged one; None: not declared,
            and bounds take it that it does.
        takes_unjudged_grades: whether it can be had where rules give unjudged documents a grade, as it sees nothing
            but the list and the ideal one; any other depends on all unjudged documents, whose number is not known.
        needs: what has to be given beside judgements of whole documents; empty: nothing.
        lower_is_better: whether a lower value is a better one; its meaning then says so.
    """

    name: str
    function: Function
    aliases: dict[str, dict[str, Any]] = field(default_factory=dict)
    at: str = "k"
    average: str = "mean"
    unit: bool = True
    formula: str = ""
    source: str = ""
    meanings: dict[str, str] = field(default_factory=dict)
    divides_by: Divisor = ""
    monotone: Monotone | None = None
    monotone_with: dict[str, Monotone] = field(default_factory=dict)
    sees_judged: bool | None = None
    takes_unjudged_grades: bool = False
    needs: Need = ""
    lower_is_better: bool = False

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The keyword-only parameters by name."""
        return keywords_of(self.function)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The parameters that have to be given."""
        return tuple(name for name, p in self.parameters.items() if p.default is p.empty)

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """What each parameter may be."""
        names = getattr(self.function, "__globals__", {})
        own = {name: kind_of(resolved(p.annotation, names), KINDS) for name, p in self.parameters.items()}
        return own if DEPTH in own else {**own, DEPTH: KINDS[int]}

    def left_open(self, ruled: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
        """What the rules say of parameters that are not given: of grades that are yes or no, from which on."""
        is_binary = given.get("gain") == "binary" and "level" in ruled
        said = {**ruled, "gain_from": ruled["level"]} if is_binary else ruled
        return {name: value for name, value in said.items() if name in self.parameters and name not in given}

    def seeks(self, given: Mapping[str, Any]) -> Divisor:
        """What a query has to have for it, so given, to find something: relevant documents, or some that gain."""
        by_grade = "gain" in self.parameters and given.get("gain", self.parameters["gain"].default) != "binary"
        return self.divides_by or ("relevant" if "level" in self.parameters and not by_grade else "gain")

    @property
    def takes(self) -> dict[str, str]:
        """What each parameter may be, in words: {"p": "a number from 0 to 1; 0.8 if not given"}."""
        return {name: self.kinds[name].words + _default(p) for name, p in self.parameters.items()}

    @property
    def meaning(self) -> str:
        """The first line of the function's docstring."""
        return meaning_of(self.function)

    @cached_property
    def is_built_in(self) -> bool:
        """Whether it is truerank's own."""
        return (self.function.__module__ or "").startswith("truerank.")

    def of_hits(self, hits: Hits, given: Mapping[str, Any]) -> Any:
        """What the function gives; one that is not built in may write into the hits, which are a copy."""
        return self.function(hits if self.is_built_in else hits.where(np.arange(len(hits))), **given)

    @property
    def is_of_run(self) -> bool:
        """Whether it is one number of the whole run, without a value for a query."""
        return self.average == RUN

    @property
    def sees_lists(self) -> bool:
        """Whether it sees all documents that are listed, unjudged ones too."""
        return self.needs in ("lists", "scores") or self.is_of_items

    @property
    def sees_aspects(self) -> bool:
        """Whether it asks which aspect, or which stratum, each judged document is of."""
        return self.needs in ("aspects", "strata")

    @property
    def is_of_items(self) -> bool:
        """Whether it asks which documents are listed, and not what was judged of them."""
        return self.needs in ITEMS

    @property
    def is_of_judgements(self) -> bool:
        """Whether it asks what was judged, and not what is relevant."""
        return bool(self.sees_judged) and not {"level", "gain"} & set(self.parameters)

    def lacking(self, measure: object) -> MeasureError:
        """What is said where such a measure lacks what it needs."""
        return MeasureError(Message(NEEDS[self.needs].text, "", {"measure": measure}))

    @property
    def spelling(self) -> str:
        """How it is written, cutoff and all: "P@k", "AP[@k]", "IPrec@recall"."""
        if self.at not in self.parameters:
            return self.name
        return f"{self.name}@{self.at}" if self.at in self.required else f"{self.name}[@{self.at}]"


def takes(definition: Definition) -> Message:
    """Which parameters a measure has, as errors say it."""
    names = ", ".join(definition.parameters)
    return message("it takes {names}", names=names) if names else message("it takes no parameters")


def positional(definition: Definition, text: str) -> MeasureError:
    """What is said where a value between the parentheses has no name."""
    has_cutoff = definition.at == "k" and "k" in definition.parameters
    cut = message(", and a cutoff follows @, as in {name}@10", name=definition.name) if has_cutoff else ""
    return MeasureError(
        "{text!r}: parameters have names{cut}; {takes}", text=text, cut=cut, takes=takes(definition)
    )


WORD = r"[\w.+#♯-]+"
"""What measures can be called, in ASCII."""


def refuse_unusable(definition: Definition) -> None:
    """Refuse a measure that nobody could ask for, or whose parameters nobody could give.

    Raises:
        MeasureError: a name cannot be written, there is no such mean, or the function takes something other than
            hits by position.
    """
    for word in (definition.name, *definition.aliases):
        if not re.fullmatch(f"{WORD}@?", word, re.ASCII):
            raise MeasureError(
                "nobody could ask for a measure called {word!r}: a name is letters of ASCII, digits and . + # - _",
                word=word,
            )
    if definition.average not in (known := (*MEANS, RUN)):
        raise MeasureError(
            "average is one of {known}, not {average!r}", known=", ".join(known), average=definition.average
        )
    taken = parameters_of(definition.function).values()
    places = [p.name for p in taken if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(places) != 1 and not (len(places) == 0 and any(p.kind is p.VAR_POSITIONAL for p in taken)):
        raise MeasureError(
            "the function of {name} takes {taken} by position: it takes the hits, and all others by name alone, "
            "as in (hits, *, k=None), so that measures and rules can give them",
            name=definition.name,
            taken=", ".join(places) or message("nothing"),
        )


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return "; must be given"
    return "" if parameter.default is None else f"; {parameter.default!r} if not given"
