"""CSV lines as Flink reads them: no header, fields by position.

Most lines hold no quote and are split at the delimiter, which takes about half the time of a full CSV parser
(`docs/performance.md`). A line with a quote goes through Spark's parser.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.report.options import source_option
from airflow_nrt.report.spelling import quote, string_literal
from airflow_nrt.report.tables import LINE, Column, Table

_NO_NULLS = "\\u0001"


def parse_csv(lines: DataFrame, table: Table, stored: Sequence[Column], wanted: Sequence[Column]) -> DataFrame:
    """Lines (`_nrt_line`) to typed columns and `_nrt_malformed`; all of their columns pass through.

    `stored` are all columns of a line in order, `wanted` those that are read. A line is malformed if it has not as many
    fields as the table or if a wanted field is no value of its type; an empty field of a type other than STRING is
    none, unless `'csv.null-literal'` says that it means NULL.
    """
    others = [quote(name) for name in lines.columns]
    if source_option(table.options, "csv.allow-comments"):
        lines = lines.where(f"NOT startswith(ltrim({LINE}), '#')")
    tokens = lines.selectExpr(*others, f"{_tokens(table, stored)} AS _nrt_fields")
    position = {column.name: index for index, column in enumerate(stored)}
    values = [f"{_value(table, position[column.name], column)} AS {quote(column.name)}" for column in wanted]
    typed = tokens.selectExpr(*others, "_nrt_fields", *values)
    broken = [f"size(_nrt_fields) <> {len(stored)}"]
    broken += [
        f"({quote(column.name)} IS NULL AND NOT {_is_null(table, position[column.name])})"
        for column in wanted
        if not column.type.is_string
    ]
    return typed.selectExpr(
        *others, *(quote(column.name) for column in wanted), f"({' OR '.join(broken)}) AS _nrt_malformed"
    )


def _tokens(table: Table, stored: Sequence[Column]) -> str:
    """The fields of a line as strings, none of them if it can't be read."""
    separator = source_option(table.options, "csv.field-delimiter")
    tokens = f"split({LINE}, {string_literal(_literal_pattern(separator))}, -1)"
    if source_option(table.options, "csv.disable-quote-character"):
        return tokens
    schema = string_literal(", ".join([*(f"f{i} STRING" for i in range(len(stored))), "broken STRING"]))
    mark = string_literal(source_option(table.options, "csv.quote-character"))
    options = (
        f"map('sep', {string_literal(separator)}, 'quote', {mark}, 'escape', {mark}, 'nullValue', '{_NO_NULLS}', "
        "'emptyValue', '', 'mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', 'broken')"
    )
    fields = ", ".join(f"line.f{i}" for i in range(len(stored)))
    # An array of one line gives it a name: parsed once, not once for each field. As a step of its own, which Spark then
    # compiles with all others, it takes twice as long and more (timed by hand: 5 million lines, none with a quote).
    parsed = f"transform(array(from_csv({LINE}, {schema}, {options})), line -> "
    return f"IF(contains({LINE}, {mark}), {parsed}IF(line.broken IS NOT NULL, array(), array({fields})))[0], {tokens})"


def _literal_pattern(delimiter: str) -> str:
    """The delimiter as a regular expression that means just it."""
    return delimiter if delimiter.isalnum() or delimiter in ",;: \t" else "\\" + delimiter


def _is_null(table: Table, position: int) -> str:
    """Whether the field stands for NULL, never NULL itself."""
    null = source_option(table.options, "csv.null-literal")
    return "false" if null is None else f"(get(_nrt_fields, {position}) <=> {string_literal(null)})"


def _value(table: Table, position: int, column: Column) -> str:
    text = f"get(_nrt_fields, {position})"
    value = text if column.type.is_string else f"try_cast({text} AS {column.type.spark})"
    if column.type.name == "TIMESTAMP_LTZ":
        # Without a zone a time is no instant.
        value = f"IF(endswith({text}, 'Z'), {value}, NULL)"
    null = _is_null(table, position)
    return value if null == "false" else f"IF({null}, NULL, {value})"
