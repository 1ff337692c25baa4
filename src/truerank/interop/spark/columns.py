"""The columns of a Spark DataFrame as ids in bytes and scores in doubles, or an error that says what to do.

Spark compares text by collation, pads char(n), and prints doubles and timestamps by the session's settings; text
that is cast to a number may be blank, end with d, or be too large. None of this may silently change a number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank.core.errors import InputError, SeveralCalls, quoted
from truerank.core.kernel.scanning import as_bytes
from truerank.core.messages import Message, message
from truerank.formats import names
from truerank.formats.names import layout

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

WHOLE = ("tinyint", "smallint", "int", "bigint")
NUMBERS = (*WHOLE, "float", "double")

CHAR = "__CHAR_VARCHAR_TYPE_STRING"
"""Where Spark keeps that a column of text is one of char(n)."""


def typed(frame: DataFrame, what: str, name: str) -> DataFrame:
    """Columns query and doc (binary) and score (double; for qrels the grade), whatever their names and types were.

    A run also has are_ranks (boolean): whether the scores are negated ranks; qrels have aspect (binary) and weight
    (double), if there are such columns.

    Args:
        what: "run" or "qrels".

    Raises:
        InputError: a column is missing, or has values that are not unambiguously ids or numbers.
    """
    from pyspark.sql import functions as f

    columns = layout(frame.columns, what, name)
    query, doc = (
        _id(frame, place, name).alias(alias) for place, alias in ((columns.query, "query"), (columns.doc, "doc"))
    )
    score = _number(frame, columns.value, name)
    if columns.call is not None:
        said = message(
            "the run has several lists per query, one per call, which Spark does not read: collect its rows"
        )
        raise SeveralCalls(said, name)
    more = [f.lit(columns.falling).alias("are_ranks")] if what == "run" else []
    if columns.aspect is not None:
        more.append(_id(frame, columns.aspect, name).alias("aspect"))
    if columns.weight is not None:
        more.append(_number(frame, columns.weight, name).alias("weight"))
    return frame.select(query, doc, (-score if columns.falling else score).alias("score"), *more)


def labelled(by: Any, session: SparkSession) -> tuple[DataFrame, dict[str | None, Any]]:
    """Columns query (binary) and value (text), a row per query; for a dict also {text: value}, texts being numbers.

    Args:
        by: {query: value}, or a DataFrame with a column of queries and one of values.

    Raises:
        InputError: the DataFrame has other columns.
    """
    if not is_frame(by):
        values = {value: str(number) for number, value in enumerate(dict.fromkeys(by.values()))}
        rows = [(as_bytes(query), values[value]) for query, value in by.items() if value is not None]
        return session.createDataFrame(rows, "query binary, value string"), {text: v for v, text in values.items()}
    place = names.find(by.columns, names.QUERY)
    if place is None or len(by.columns) != 2:
        raise InputError("by needs a column of queries and one of values", "by")
    query, value = _id(by, place, "by").alias("query"), _column(by, 1 - place).cast("string").alias("value")
    return by.select(query, value).groupBy("query").agg({"value": "max"}).toDF("query", "value"), {}


def _id(frame: DataFrame, place: int, name: str) -> Column:
    """The bytes of the ids: text in UTF-8, whole numbers as digits."""
    field, kind = frame.schema[place], frame.schema[place].dataType.simpleString()
    column = _column(frame, place)
    if kind in WHOLE:
        return column.cast("string").cast("binary")
    if kind.startswith("char(") or field.metadata.get(CHAR, "").startswith("char("):
        raise _unfit(
            field.name,
            "char(n)",
            message("its ids are filled up with blanks: cast it to text, with rtrim or as it is"),
            name,
        )
    if kind == "binary" or kind.startswith(("string", "varchar(")):
        return column.cast("binary")
    raise _unfit(
        field.name, kind, message("ids are text, bytes or whole numbers; cast them as you want them"), name
    )


def _number(frame: DataFrame, place: int, name: str) -> Column:
    kind = frame.schema[place].dataType.simpleString()
    if kind in NUMBERS or kind.startswith("decimal("):
        return _column(frame, place).cast("double")
    mend = message("it should hold numbers; cast it as you want it")
    raise _unfit(frame.schema[place].name, kind, mend, name)


def _column(frame: DataFrame, place: int) -> Column:
    return frame[escaped(frame.columns[place])]


def escaped(name: str) -> str:
    """A column's name, quoted so that a dot in it is just a dot."""
    return "`" + name.replace("`", "``") + "`"


def _unfit(column: str, kind: str, mend: Message, name: str) -> InputError:
    return InputError("column {column} holds {kind}: {mend}", name, column=quoted(column), kind=kind, mend=mend)


def is_frame(value: Any) -> bool:
    """Whether this is a DataFrame of Spark; checked without importing Spark."""
    return type(value).__module__.startswith("pyspark.sql") and hasattr(value, "mapInArrow")
