"""JSON lines as Flink reads them: an object a line, or an array of them; fields by name, a missing field is NULL.

An object becomes texts, which `values.py` converts to values, also inside of rows, arrays and maps. Spark's reader
would convert them directly, but it reads numbers with a fraction as DOUBLE, and takes the last value of a repeated key.
So an object with such a number, where its text is needed, or with a repeated key, is read again, exactly: each number
becomes a text first, which begins with `NUMBER`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.sources.formats.values import (
    JSON,
    NUMBER,
    form_of,
    is_unfit,
    is_wrong,
    may_be_unfit,
    unfit_form_of,
    value_sql,
)
from airflow_nrt.engine.sources.long_lines import LONGEST_HEAD, why_no_text
from airflow_nrt.engine.sources.malformed import FAULT, WHY, MalformedField, fault_sql, shortened, why_sql
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import LINE, Column, Table

OBJECT = "_nrt_json"
"""The column with the text of an object: a line, or part of a line."""
_OBJECTS = "_nrt_objects"
_OPTIONS = "map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '_nrt_broken', 'allowSingleQuotes', 'false')"
_BEFORE_NUMBER = r'\G((?:[^"0-9-]|-(?![0-9])|"(?:[^"\\]|\\.)*+")*+)'
_NUMBER = r"(-?[0-9][0-9.eE+-]*+)"
_FRACTION = r"^-?[0-9]+(\\.|E)|^\"(Infinity|-Infinity)\"$"
_FRACTION_INSIDE = r"[0-9](\\.|E)|\"-?Infinity\""


def exact(text: str) -> str:
    r"""SQL of a json text with each number as a text that begins with `NUMBER`.

    >>> print(exact("line").replace(NUMBER, "…"))
    regexp_replace(line, '\\G((?:[^"0-9-]|-(?![0-9])|"(?:[^"\\\\]|\\\\.)*+")*+)(-?[0-9][0-9.eE+-]*+)', '$1"…$2"')
    """
    found, made = string_literal(_BEFORE_NUMBER + _NUMBER), string_literal(f'$1"{NUMBER}$2"')
    return f"regexp_replace({text}, {found}, {made})"


def with_objects(lines: DataFrame) -> DataFrame:
    """Lines with the text of their object, `_nrt_json`. A line with an array becomes several rows.

    Each of these has only the beginning of the line, because the whole line would be copied for each object.
    """
    others = [quote(name) for name in lines.columns if name != LINE]
    array = f"from_json({exact(LINE)}, 'ARRAY<STRING>')"
    objects = f"IF(startswith(ltrim({LINE}), '['), coalesce({array}, array({LINE})), array({LINE}))"
    found = lines.selectExpr(*others, LINE, f"{objects} AS {_OBJECTS}")
    short = f"IF(size({_OBJECTS}) > 1, left({LINE}, {LONGEST_HEAD}), {LINE}) AS {LINE}"
    return found.selectExpr(*others, short, _OBJECTS).selectExpr(*others, LINE, f"explode({_OBJECTS}) AS {OBJECT}")


def parse_json(objects: DataFrame, table: Table, wanted: Sequence[Column]) -> DataFrame:
    """Lines with `_nrt_json` to typed columns, `_nrt_fault` and `_nrt_why`; their other columns are kept.

    A line is malformed if it is no object. A wanted field is malformed if it is no value of its column's type, or if it
    is missing and `'json.fail-on-missing-field'` is set.
    """
    missing = []
    if source_option(table.options, "json.fail-on-missing-field"):
        missing = [(column, " OR ".join(_missing(OBJECT, [(column.name, column.type)]))) for column in wanted]
    return parse_objects(objects, wanted, missing=missing)


@dataclass(frozen=True)
class NoRow:
    """SQL condition of an object that is no row, and of a message about it, NULL where the text is no object at all."""

    condition: str
    why: str


def parse_objects(
    objects: DataFrame,
    wanted: Sequence[Column],
    none: NoRow | None = None,
    missing: Sequence[tuple[Column, str]] = (),
) -> DataFrame:
    """The same for any texts of objects. A row is also malformed if it is `none`, and a column under its condition in
    `missing`."""
    is_none, why_line = (none.condition, f"coalesce({none.why}, {_WHY_LINE})") if none else ("false", _WHY_LINE)
    others = [quote(name) for name in objects.columns if name != OBJECT]
    schema = ", ".join([f"{quote(column.name)} STRING" for column in wanted] + ["`_nrt_broken` STRING"])
    read = f"from_json({OBJECT}, {string_literal(schema)}, {_OPTIONS})"
    keys = f"json_object_keys({OBJECT})"
    rows = objects.selectExpr("*", f"{read} AS _nrt_read")
    fields = [(f"_nrt_read.{quote(column.name)}", column.type) for column in wanted]
    inexact = [f"size({keys}) <> size(array_distinct({keys}))", *filter(None, (_is_inexact(*one) for one in fields))]
    again = f"from_json({exact(OBJECT)}, 'MAP<STRING,STRING>', {_OPTIONS})"
    rows = rows.selectExpr(
        "*", f"IF({' OR '.join(f'coalesce({one}, false)' for one in inexact)}, {again}, NULL) AS _nrt_exact"
    )
    text_names = [f"_nrt_text_{n}" for n in range(len(wanted))]
    texts = [
        f"IF(_nrt_exact IS NULL, {text}, _nrt_exact[{string_literal(column.name)}]) AS {name}"
        for name, column, (text, _) in zip(text_names, wanted, fields)
    ]
    broken = f"(_nrt_read IS NULL OR _nrt_read._nrt_broken IS NOT NULL OR NOT is_valid_utf8({LINE}) OR {is_none})"
    rows = rows.selectExpr(*others, OBJECT, *texts, f"{broken} AS _nrt_broken")
    values = [
        f"{value_sql(name, column.type, JSON)} AS {quote(column.name)}" for name, column in zip(text_names, wanted)
    ]
    rows = rows.selectExpr("*", *values)
    wrong = {
        column.name: is_wrong(name, quote(column.name), column.type, JSON)
        for name, column in zip(text_names, wanted)
        if not column.type.is_string and column.type.name != "BOOLEAN"
    }
    unfit = {
        column.name: is_unfit(name, quote(column.name), column.type, JSON) for name, column in zip(text_names, wanted)
    }
    for column, lacks in missing:
        wrong[column.name] = f"{wrong[column.name]} OR {lacks}" if column.name in wrong else lacks
        unfit[column.name] = f"NOT ({lacks}) AND {unfit[column.name]}" if unfit[column.name] else ""
    faults = [
        MalformedField(column, wrong[column.name], unfit[column.name]) for column in wanted if column.name in wrong
    ]
    kept = [*others, *(quote(column.name) for column in wanted)]
    rows = rows.selectExpr(*kept, OBJECT, f"{fault_sql(['_nrt_broken'], faults)} AS {FAULT}")
    # Not by a JSON path, in which characters of a name may have another meaning.
    field = _as_written(f"from_json({exact(OBJECT)}, 'MAP<STRING,STRING>')[{{column}}]")
    forms = {column.name: form_of(column.type) for column in wanted}
    unfit_forms = {column.name: unfit_form_of(column.type) for column in wanted if may_be_unfit(column.type)}
    return rows.selectExpr(*kept, FAULT, f"{why_sql(why_line, field, forms, unfit_forms)} AS {WHY}")


def _as_written(text: str) -> str:
    """SQL of an `exact` text with its numbers as they were written, outside of quotes.

    >>> print(_as_written("field").replace(NUMBER, "#"))
    regexp_replace(field, '"?#([0-9.eE+-]+)"?', '$1')
    """
    return f"regexp_replace({text}, '\"?{NUMBER}([0-9.eE+-]+)\"?', '$1')"


def _unmarked(text: str) -> str:
    """SQL of a text for people: the numbers of an `exact` text as they were written.

    >>> print(_unmarked("line").replace(NUMBER, "…"))
    replace(line, '…', '')
    """
    return f"replace({text}, '{NUMBER}', '')"


_LEVELS = 1000
"""How deep Spark's reader reads. It does not say why it stopped: a message names this where it may be the cause."""
_SEVERAL_LINES = r"^\\s*([\\[{]|[\\]}],?|\"[^\"]*\"\\s*:.*)\\s*$"
_WHY_LINE = (
    f"CASE WHEN NOT is_valid_utf8({LINE}) THEN {why_no_text()} "
    f"WHEN {LINE} RLIKE '{_SEVERAL_LINES}' THEN 'it is no JSON object: an object stands on one line, and this looks "
    "like a part of a pretty-printed one (jq -c . puts each on its line)' "
    f"ELSE concat('\\'', {shortened(_unmarked(OBJECT))}, '\\' is no JSON object', "
    f"IF(octet_length(regexp_replace({OBJECT}, '[^\\\\[{{]++', '')) > {_LEVELS}, "
    f"', or one that is nested deeper than {_LEVELS:,} levels', '')) END"
)


def _is_inexact(text: str, kind: DataType) -> str:
    r"""SQL predicate: Spark may have changed the text of a field in a way that matters; '' if it can't.

    >>> print(_is_inexact("x", DataType("INT")))
    x RLIKE '^-?[0-9]+(\\.|E)|^\"(Infinity|-Infinity)\"$'
    """
    if kind.is_string or kind.name in ("INT", "BIGINT", "TINYINT", "SMALLINT", "DECIMAL", "FLOAT"):
        # A number beyond a DOUBLE is a text of Spark's, in quotes.
        exact_as_double = kind.name == "DECIMAL" and kind.digits <= 15
        return f"startswith({text}, '\"')" if exact_as_double else f"{text} RLIKE '{_FRACTION}'"
    return f"{text} RLIKE '{_FRACTION_INSIDE}'" if kind.children else ""


def _missing(text: str, fields: Sequence[tuple[str, DataType]]) -> list[str]:
    """SQL conditions for an object that lacks one of these fields, or a field of a row inside.

    >>> print(*_missing("x", [("id", DataType("INT"))]))
    coalesce(NOT array_contains(json_object_keys(x), 'id'), false)
    """
    lacks = [f"NOT array_contains(json_object_keys({text}), {string_literal(name)})" for name, _ in fields]
    for name, kind in fields:
        lacks += _lacks(f"from_json({text}, {string_literal(f'{quote(name)} STRING')}).{quote(name)}", kind)
    return [f"coalesce({one}, false)" for one in lacks]


def _lacks(text: str, kind: DataType) -> list[str]:
    """The same for a value that may contain rows.

    >>> row = DataType("ROW", children=(("id", DataType("INT")),))
    >>> print(*_lacks("x", DataType("ARRAY", children=(("element", row),))))
    exists(from_json(x, 'ARRAY<STRING>'), one -> coalesce(NOT array_contains(json_object_keys(one), 'id'), false))
    """
    if kind.name == "ROW":
        return _missing(text, kind.children)
    if not kind.holds("ROW"):
        return []
    array = f"from_json({text}, 'ARRAY<STRING>')"
    if kind.name == "MAP":
        array = f"map_values(from_json({text}, 'MAP<STRING, STRING>'))"
    inside = _lacks("one", kind.children[-1][1])
    return [f"exists({array}, one -> {' OR '.join(inside)})"]
