"""CSV lines as Flink reads them: no header, fields by position.

Most lines hold no quote and are split at the delimiter. One with a quote is taken apart by regular expressions, by the
rules of Jackson, which reads for Flink: a field is quoted if it begins with the quote, which stands for itself where it
is written twice; blanks may follow the closing one, and anything else makes the line malformed. All of it is code that
Spark compiles with the steps around it, which `from_csv` over some of the lines is not.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.report.options import source_option
from airflow_nrt.report.spelling import quote, string_literal
from airflow_nrt.report.tables import LINE, Column, Table
from airflow_nrt.report.times_of_day import of_csv_field


def parse_csv(lines: DataFrame, table: Table, stored: Sequence[Column], wanted: Sequence[Column]) -> DataFrame:
    """Lines (`_nrt_line`) to typed columns and `_nrt_malformed`; all of their columns pass through.

    `stored` are all columns of a line in order, `wanted` those that are read. A line is malformed if it has not as many
    fields as the table or if a wanted field is no value of its type; an empty field of a type other than STRING is
    none, unless `'csv.null-literal'` says that it means NULL.
    """
    others = [quote(name) for name in lines.columns]
    if source_option(table.options, "csv.allow-comments"):
        lines = lines.where(f"NOT startswith(ltrim({LINE}), '#')")
    tokens = lines.selectExpr(*others, f"{_tokens(table)} AS _nrt_fields")
    position = {column.name: index for index, column in enumerate(stored)}
    texts = tokens.selectExpr(
        *others, "_nrt_fields", *(f"{_text(table, position[c.name])} AS {_held(position[c.name])}" for c in wanted)
    )
    values = [f"{_value(table, _held(position[column.name]), column)} AS {quote(column.name)}" for column in wanted]
    typed = texts.selectExpr(*texts.columns, *values)
    # As Flink has it, a last delimiter may have nothing behind it.
    nothing = f"size(_nrt_fields) = {len(stored) + 1} AND trim({_text(table, len(stored))}) = ''"
    broken = [f"(size(_nrt_fields) <> {len(stored)} AND NOT ({nothing}))"]
    broken += [
        f"({quote(column.name)} IS NULL AND NOT {_is_null(table, _held(position[column.name]))})"
        for column in wanted
        if not column.type.is_string
    ]
    return typed.selectExpr(
        *others, *(quote(column.name) for column in wanted), f"({' OR '.join(broken)}) AS _nrt_malformed"
    )


def _tokens(table: Table) -> str:
    """The fields of a line as they are written, none of them if it can't be read."""
    separator = _literal_pattern(source_option(table.options, "csv.field-delimiter"))
    plain = f"split({LINE}, {string_literal(separator)}, -1)"
    if source_option(table.options, "csv.disable-quote-character"):
        return plain
    character = source_option(table.options, "csv.quote-character")
    mark = _literal_pattern(character)
    # Possessive all through: a match neither goes back nor recurses, however long the line.
    quoted = f"{mark}[^{mark}]*+(?:{mark}{mark}[^{mark}]*+)*+{mark}"
    field = f"{separator}({quoted}|(?!{mark})[^{separator}]*+)[\\x00-\\x20&&[^{separator}]]*+"
    line = f"concat({string_literal(source_option(table.options, 'csv.field-delimiter'))}, {LINE})"
    whole, each = string_literal(f"^(?:{field})*+\\z"), string_literal(field)
    parsed = f"IF({line} RLIKE {whole}, regexp_extract_all({line}, {each}, 1), CAST(array() AS ARRAY<STRING>))"
    return f"IF(contains({LINE}, {string_literal(character)}), {parsed}, {plain})"


def _text(table: Table, position: int) -> str:
    """What a field says, without the quotes around it."""
    field = f"get(_nrt_fields, {position})"
    if source_option(table.options, "csv.disable-quote-character"):
        return field
    mark = source_option(table.options, "csv.quote-character")
    said = f"replace(substring({field}, 2, length({field}) - 2), {string_literal(2 * mark)}, {string_literal(mark)})"
    return f"IF(startswith({field}, {string_literal(mark)}), {said}, {field})"


def _held(position: int) -> str:
    return f"_nrt_text_{position}"


def _literal_pattern(delimiter: str) -> str:
    """The delimiter as a regular expression that means just it."""
    return delimiter if delimiter.isalnum() or delimiter in ",;: \t" else "\\" + delimiter


def _is_null(table: Table, text: str) -> str:
    """Whether the field stands for NULL, never NULL itself."""
    null = source_option(table.options, "csv.null-literal")
    return "false" if null is None else f"({text} <=> {string_literal(null)})"


def _value(table: Table, text: str, column: Column) -> str:
    value = text if column.type.is_string else f"try_cast({text} AS {column.type.spark})"
    if column.type.is_bytes:
        value = f"try_to_binary({text}, 'base64')"
    if column.type.name == "TIME":
        value = of_csv_field(text)
    if column.type.name == "TIMESTAMP_LTZ":
        # Without a zone a time is no instant.
        value = f"IF(endswith({text}, 'Z'), {value}, NULL)"
    null = _is_null(table, text)
    return value if null == "false" else f"IF({null}, NULL, {value})"
