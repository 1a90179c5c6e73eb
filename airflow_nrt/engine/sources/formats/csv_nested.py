"""Fields of csv with several values, of an ARRAY or a ROW: `1;2`.

A value that is the text of NULL is NULL; the whole field never means NULL, but for an empty one of a ROW, as in Flink.
"""

from __future__ import annotations

from collections.abc import Iterator

from airflow_nrt.basics.decimals import is_number
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import DataType
from airflow_nrt.engine.sources.formats.csv_syntax import literal_pattern
from airflow_nrt.engine.sources.formats.values import CSV, may_be_unfit, value_sql
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import Table


def nested_value(table: Table, text: str, kind: DataType) -> str:
    """SQL of an ARRAY or a ROW.

    >>> numbers = DataType("ARRAY", children=(("element", DataType("INT")),))
    >>> print(nested_value(Table("orders", (), "filesystem", options={"format": "csv"}), "x", numbers))
    transform(IF(trim(x) = '', CAST(array() AS ARRAY<STRING>), split(x, ';', -1)), one -> try_cast(one AS INT))
    """
    if kind.name == "ARRAY":
        return f"transform({_texts(table, text)}, one -> {_value(table, 'one', kind.children[0][1])})"
    fields = (f"{string_literal(name)}, {_value(table, one, child)}" for name, one, child in _fields(table, text, kind))
    return f"IF(trim({text}) <> '', named_struct({', '.join(fields)}), NULL)"


def is_wrong_nested(table: Table, text: str, kind: DataType, *, but_unfit: bool = False) -> str:
    """SQL predicate: the field is missing, or something in it is no value of its type. With `but_unfit`, numbers that
    merely do not fit their DECIMAL are not wrong.

    >>> numbers = DataType("ARRAY", children=(("element", DataType("INT")),))
    >>> print(is_wrong_nested(Table("orders", (), "filesystem", options={"format": "csv"}), "x", numbers))
    (x IS NULL OR exists(IF(trim(x) = '', CAST(array() AS ARRAY<STRING>), split(x, ';', -1)), one -> NOT (one IS
    NULL) AND try_cast(one AS INT) IS NULL))
    """
    if kind.name == "ARRAY":
        inside = f"exists({_texts(table, text)}, one -> {_is_wrong(table, 'one', kind.children[0][1], but_unfit)})"
        return f"({text} IS NULL OR {inside})"
    few = f"size({_texts(table, text)}) < {len(kind.children)}"
    wrong = (_is_wrong(table, one, child, but_unfit) for _, one, child in _fields(table, text, kind))
    return f"({text} IS NULL OR (trim({text}) <> '' AND ({' OR '.join([few, *wrong])})))"


def is_unfit_nested(table: Table, text: str, kind: DataType) -> str:
    """SQL predicate of a field that is wrong: its numbers do not fit their DECIMAL, and nothing else is wrong; '' if
    that can't be.

    >>> numbers = DataType("ARRAY", children=(("element", DataType("INT")),))
    >>> print(is_unfit_nested(Table("orders", (), "filesystem", options={"format": "csv"}), "x", numbers) or "none")
    none
    """
    return f"NOT {is_wrong_nested(table, text, kind, but_unfit=True)}" if may_be_unfit(kind) else ""


def _texts(table: Table, text: str) -> str:
    """SQL of the texts of the values in a field.

    >>> print(_texts(Table("orders", (), "filesystem", options={"format": "csv"}), "x"))
    IF(trim(x) = '', CAST(array() AS ARRAY<STRING>), split(x, ';', -1))
    """
    between = literal_pattern(source_option(table.options, "csv.array-element-delimiter"))
    return f"IF(trim({text}) = '', CAST(array() AS ARRAY<STRING>), split({text}, {string_literal(between)}, -1))"


def _fields(table: Table, text: str, kind: DataType) -> Iterator[tuple[str, str, DataType]]:
    """The fields of a ROW: name, SQL of the text, type."""
    for number, (name, child) in enumerate(kind.children):
        yield name, f"get({_texts(table, text)}, {number})", child


def _is_null(table: Table, one: str) -> str:
    """SQL predicate: a value is NULL.

    >>> options = {"format": "csv", "csv.null-literal": "-"}
    >>> print(_is_null(Table("orders", (), "filesystem", options=options), "one"))
    one <=> '-'
    """
    null = source_option(table.options, "csv.null-literal")
    return f"{one} IS NULL" if null is None else f"{one} <=> {string_literal(null)}"


def _value(table: Table, one: str, kind: DataType) -> str:
    """SQL of one of the values.

    >>> options = {"format": "csv", "csv.null-literal": "-"}
    >>> print(_value(Table("orders", (), "filesystem", options=options), "one", DataType("INT")))
    IF(one <=> '-', NULL, try_cast(one AS INT))
    """
    value = value_sql(one, kind, CSV)
    given = "csv.null-literal" in table.options
    return f"IF({_is_null(table, one)}, NULL, {value})" if given else value


def _is_wrong(table: Table, one: str, kind: DataType, but_unfit: bool) -> str:
    """SQL predicate: a text is none of these values.

    >>> print(_is_wrong(Table("orders", (), "filesystem", options={"format": "csv"}), "one", DataType("INT"), False))
    NOT (one IS NULL) AND try_cast(one AS INT) IS NULL
    """
    if kind.is_string:
        return "false"
    unfit = f" AND NOT {is_number(one)}" if but_unfit and kind.name == "DECIMAL" and kind.nullable else ""
    return f"NOT ({_is_null(table, one)}) AND {value_sql(one, kind, CSV)} IS NULL{unfit}"
