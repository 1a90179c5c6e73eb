"""CSV lines as Flink reads them: no header, fields by position.

Most lines hold no quote and are split at the delimiter, which takes about half the time of a full CSV parser
(`docs/performance.md`). A line with a quote goes through Spark's parser.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.report.options import source_option
from airflow_nrt.report.spelling import quote, string_literal
from airflow_nrt.report.tables import Column, Table

_NO_NULLS = "\\u0001"


def parse_csv(lines: DataFrame, table: Table, stored: Sequence[Column], wanted: Sequence[Column]) -> DataFrame:
    """Lines (`value` and others) to typed columns and `_nrt_malformed`; the others pass through.

    `stored` are all columns of a line in order, `wanted` those that are read. A line is malformed if it has not as many
    fields as the table or if a wanted field is no value of its type; an empty field of a type other than STRING is
    none, unless `'csv.null-literal'` says that it means NULL.
    """
    others = [quote(name) for name in lines.columns]
    split = lines.selectExpr(*others, f"{_quoted_line(table, stored)} AS _nrt_quoted")
    fields = ", ".join(f"_nrt_quoted.f{i}" for i in range(len(stored)))
    delimiter = string_literal(_literal_pattern(source_option(table.options, "csv.field-delimiter")))
    tokens = split.selectExpr(
        *others,
        f"CASE WHEN _nrt_quoted IS NULL THEN split(value, {delimiter}, -1) "
        f"WHEN _nrt_quoted.broken IS NOT NULL THEN array() ELSE array({fields}) END AS _nrt_fields",
    )
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


def _quoted_line(table: Table, stored: Sequence[Column]) -> str:
    """The parsed line as a struct of strings if it holds a quote, else NULL."""
    names = ", ".join(f"f{i} STRING" for i in range(len(stored)))
    schema = string_literal(f"{names}, broken STRING")
    kind = f"CAST(NULL AS STRUCT<{', '.join(f'f{i}: STRING' for i in range(len(stored)))}, broken: STRING>)"
    if source_option(table.options, "csv.disable-quote-character"):
        return kind
    mark = string_literal(source_option(table.options, "csv.quote-character"))
    delimiter = string_literal(source_option(table.options, "csv.field-delimiter"))
    options = (
        f"map('sep', {delimiter}, 'quote', {mark}, 'escape', {mark}, 'nullValue', '{_NO_NULLS}', 'emptyValue', '', "
        "'mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', 'broken')"
    )
    return f"IF(contains(value, {mark}), from_csv(value, {schema}, {options}), {kind})"


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
