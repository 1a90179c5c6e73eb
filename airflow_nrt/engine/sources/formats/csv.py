"""CSV lines as Flink reads them: no header, fields by position.

Most lines have no quote and are split at the delimiter. A line with a quote is parsed by regular expressions, with the
rules of Jackson, Flink's parser: a field is quoted if it begins with the quote; two quotes inside mean one; blanks may
follow the closing quote, and anything else makes the line malformed. Spark compiles these expressions together with the
steps around them, unlike `from_csv` over some of the lines. A record of several lines is one line here
(`csv_records.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.sources.formats.csv_nested import is_unfit_nested, is_wrong_nested, nested_value
from airflow_nrt.engine.sources.formats.csv_syntax import CsvSyntax, literal_pattern
from airflow_nrt.engine.sources.formats.values import CSV, form_of, is_unfit, may_be_unfit, unfit_form_of, value_sql
from airflow_nrt.engine.sources.long_lines import why_no_text
from airflow_nrt.engine.sources.malformed import FAULT, WHY, MalformedField, fault_sql, lookup, why_sql
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import LINE, Column, Table

_FIELDS = "_nrt_fields"
_TORN = "a quote is not closed, or text follows the closing one"


def parse_csv(lines: DataFrame, table: Table, stored: Sequence[Column], wanted: Sequence[Column]) -> DataFrame:
    """Lines (`_nrt_line`) to typed columns, `_nrt_fault` and `_nrt_why`; their other columns are kept.

    `stored` are all columns of a line in order, `wanted` those that are read. A line is malformed if it can't be split
    or does not have as many fields as the table; with `'csv.ignore-parse-errors'` it may have fewer. A wanted field is
    malformed if it is no value of its type. An empty field is no value except of STRING, unless `'csv.null-literal'`
    makes it NULL.
    """
    others = [quote(name) for name in lines.columns]
    if source_option(table.options, "csv.allow-comments"):
        lines = lines.where(f"NOT startswith(ltrim({LINE}), '#')")
    tokens = lines.selectExpr(*others, f"{_tokens(table)} AS {_FIELDS}")
    position = {column.name: index for index, column in enumerate(stored)}
    texts = tokens.selectExpr(
        *others, _FIELDS, *(f"{_text(table, position[c.name])} AS {_text_name(position[c.name])}" for c in wanted)
    )
    values = [
        f"{_value(table, _text_name(position[column.name]), column)} AS {quote(column.name)}" for column in wanted
    ]
    typed = texts.selectExpr(*texts.columns, *values)
    tolerant = source_option(table.options, "csv.ignore-parse-errors")
    faults = [_malformed(table, _text_name(position[column.name]), column, tolerant) for column in wanted]
    fault = fault_sql(_line_is_none(table, len(stored), tolerant), [one for one in faults if one.is_wrong])
    kept = [*others, *(quote(column.name) for column in wanted)]
    judged = typed.selectExpr(*kept, _FIELDS, f"{fault} AS {FAULT}")
    field = f"get({_FIELDS}, {lookup('{column}', {name: str(n) for name, n in position.items()})})"
    forms = {column.name: form_of(column.type) for column in wanted}
    unfit_forms = {column.name: unfit_form_of(column.type) for column in wanted if may_be_unfit(column.type)}
    return judged.selectExpr(*kept, FAULT, f"{why_sql(_why_line(stored), field, forms, unfit_forms)} AS {WHY}")


def _line_is_none(table: Table, columns: int, tolerant: bool) -> list[str]:
    r"""SQL predicates: a line is no row.

    >>> from airflow_nrt.basics.types import DataType
    >>> orders = Table("orders", (Column("id", DataType("INT")),), "filesystem", options={"format": "csv"})
    >>> print(*_line_is_none(orders, 1, False), sep="\n")
    ((size(_nrt_fields) <> 1) AND NOT (size(_nrt_fields) = 2 AND trim(IF(startswith(get(_nrt_fields, 1), '"'),
    replace(substring(get(_nrt_fields, 1), 2, length(get(_nrt_fields, 1)) - 2), '""', '"'), get(_nrt_fields, 1))) = ''))
    NOT is_valid_utf8(_nrt_line)
    """
    # As in Flink, a line may end with a delimiter.
    nothing = f"size({_FIELDS}) = {columns + 1} AND trim({_text(table, columns)}) = ''"
    several = f"size({_FIELDS}) > {columns} OR size({_FIELDS}) = 0" if tolerant else f"size({_FIELDS}) <> {columns}"
    return [f"(({several}) AND NOT ({nothing}))", f"NOT is_valid_utf8({LINE})"]


def _why_line(stored: Sequence[Column]) -> str:
    r"""SQL of a message about a line that is no row.

    >>> from airflow_nrt.basics.types import DataType
    >>> print(_why_line([Column("id", DataType("INT"))]))
    CASE WHEN NOT is_valid_utf8(_nrt_line) THEN IF(_nrt_line RLIKE '�nrt:([0-9]+)( elements)?>([0-9]+)\\z', concat('it
    has ', regexp_extract(_nrt_line, '�nrt:([0-9]+)( elements)?>([0-9]+)\\z', 1), IF(regexp_extract(_nrt_line,
    '�nrt:([0-9]+)( elements)?>([0-9]+)\\z', 2) <> '', ' elements, and \'source.max-line-elements\'', ' bytes, and
    \'source.max-line-length\''), ' allows ', regexp_extract(_nrt_line, '�nrt:([0-9]+)( elements)?>([0-9]+)\\z', 3)),
    'it has bytes that are no UTF-8') WHEN size(_nrt_fields) = 0 THEN 'a quote is not closed, or text follows the
    closing one' ELSE concat('it has ', size(_nrt_fields), IF(size(_nrt_fields) = 1, ' field', ' fields'), ', and the
    table 1 column (id)') END
    """
    names = ", ".join(column.name for column in stored)
    count = string_literal(f", and the table {counted(len(stored), 'column')} ({names})")
    return (
        f"CASE WHEN NOT is_valid_utf8({LINE}) THEN {why_no_text()} WHEN size({_FIELDS}) = 0 THEN '{_TORN}' "
        f"ELSE concat('it has ', size({_FIELDS}), IF(size({_FIELDS}) = 1, ' field', ' fields'), {count}) END"
    )


def _malformed(table: Table, text: str, column: Column, tolerant: bool) -> MalformedField:
    if column.type.children:
        nested = (predicate(table, text, column.type) for predicate in (is_wrong_nested, is_unfit_nested))
        return MalformedField(column, *nested)
    wrong = _is_wrong(table, text, column, tolerant)
    return MalformedField(column, wrong, is_unfit(text, quote(column.name), column.type, CSV))


def _is_wrong(table: Table, text: str, column: Column, tolerant: bool) -> str:
    """SQL predicate: a field is no value; '' if any text is a value.

    >>> from airflow_nrt.basics.types import DataType
    >>> orders = Table("orders", (Column("id", DataType("INT")),), "filesystem", options={"format": "csv"})
    >>> print(_is_wrong(orders, "_nrt_text_0", orders.columns[0], False))
    `id` IS NULL AND NOT false
    """
    if column.type.is_string:
        return f"{text} IS NULL" if tolerant else ""
    return f"{quote(column.name)} IS NULL AND NOT {_is_null(table, text)}"


def _tokens(table: Table) -> str:
    r"""SQL of the fields of a line as they are written; empty if the line is malformed.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> orders = Table("orders", (Column("id", DataType("INT")),), "filesystem", options={"format": "csv"})
    >>> print(_tokens(orders))
    IF(contains(_nrt_line, '"'), IF(concat(',', _nrt_line) RLIKE
    '^(?:,(\\"[^\\"]*+(?:\\"\\"[^\\"]*+)*+\\"|(?!\\")[^,]*+)[\\x00-\\x20&&[^,]]*+)*+\\z', regexp_extract_all(concat(',',
    _nrt_line), ',(\\"[^\\"]*+(?:\\"\\"[^\\"]*+)*+\\"|(?!\\")[^,]*+)[\\x00-\\x20&&[^,]]*+', 1), CAST(array() AS
    ARRAY<STRING>)), split(_nrt_line, ',', -1))
    """
    syntax = CsvSyntax.of(table)
    plain = f"split({LINE}, {string_literal(literal_pattern(syntax.separator))}, -1)"
    if not syntax.marks:
        return plain
    line = f"concat({string_literal(syntax.separator)}, {LINE})"
    whole, each = string_literal(f"^(?:{syntax.field})*+\\z"), string_literal(syntax.field)
    parsed = f"IF({line} RLIKE {whole}, regexp_extract_all({line}, {each}, 1), CAST(array() AS ARRAY<STRING>))"
    is_marked = " OR ".join(f"contains({LINE}, {string_literal(mark)})" for mark in syntax.marks)
    return f"IF({is_marked}, {parsed}, {plain})"


def _text(table: Table, position: int) -> str:
    """SQL of the text of a field.

    >>> from airflow_nrt.basics.types import DataType
    >>> orders = Table("orders", (Column("id", DataType("INT")),), "filesystem", options={"format": "csv"})
    >>> print(_text(orders, 0))
    IF(startswith(get(_nrt_fields, 0), '"'), replace(substring(get(_nrt_fields, 0), 2, length(get(_nrt_fields, 0)) - 2),
    '""', '"'), get(_nrt_fields, 0))
    """
    return CsvSyntax.of(table).text(f"get({_FIELDS}, {position})")


def _text_name(position: int) -> str:
    return f"_nrt_text_{position}"


def _is_null(table: Table, text: str) -> str:
    """SQL predicate: the field means NULL; never NULL itself."""
    null = source_option(table.options, "csv.null-literal")
    return "false" if null is None else f"({text} <=> {string_literal(null)})"


def _value(table: Table, text: str, column: Column) -> str:
    """SQL of the value of a field.

    >>> from airflow_nrt.basics.types import DataType
    >>> orders = Table("orders", (Column("id", DataType("INT")),), "filesystem", options={"format": "csv"})
    >>> print(_value(orders, "_nrt_text_0", orders.columns[0]))
    try_cast(_nrt_text_0 AS INT)
    """
    if column.type.children:
        return nested_value(table, text, column.type)
    value = value_sql(text, column.type, CSV)
    null = _is_null(table, text)
    return value if null == "false" else f"IF({null}, NULL, {value})"
