"""JSON lines as Flink reads them: one object a line, fields by name, a missing field is NULL."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.engine.sources.times_of_day import json_type, of_json, wrong_in_json
from airflow_nrt.report.options import source_option
from airflow_nrt.report.spelling import quote, string_literal
from airflow_nrt.report.tables import LINE, Column, Table
from airflow_nrt.report.types import DataType

OPTIONS = "map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '_nrt_broken')"


def parse_json(lines: DataFrame, table: Table, wanted: Sequence[Column]) -> DataFrame:
    """Lines (`_nrt_line`) to typed columns and `_nrt_malformed`; all of their columns pass through.

    A line is malformed if it is no object, if a wanted field is no value of its column's type, or with
    `'json.fail-on-missing-field'` if it lacks one.
    """
    others = [quote(name) for name in lines.columns]
    schema = ", ".join(
        [f"{quote(column.name)} {json_type(column.type)}" for column in wanted] + ["`_nrt_broken` STRING"]
    )
    parsed = lines.selectExpr(*others, f"from_json({LINE}, {string_literal(schema)}, {OPTIONS}) AS _nrt_object")
    fields = [(column, f"_nrt_object.{quote(column.name)}") for column in wanted]
    values = [f"{of_json(field, column.type)} AS {quote(column.name)}" for column, field in fields]
    broken = ["_nrt_object IS NULL", "_nrt_object._nrt_broken IS NOT NULL"]
    broken += [wrong for column, field in fields for wrong in wrong_in_json(field, column.type)]
    if source_option(table.options, "json.fail-on-missing-field"):
        broken += _missing(LINE, [(column.name, column.type) for column in wanted])
    return parsed.selectExpr(*others, *values, f"({' OR '.join(broken)}) AS _nrt_malformed")


def _missing(text: str, fields: Sequence[tuple[str, DataType]]) -> list[str]:
    """Conditions under which the object of a text lacks one of these fields, or of the fields of the rows inside."""
    lacks = [f"NOT array_contains(json_object_keys({text}), {string_literal(name)})" for name, _ in fields]
    for name, kind in fields:
        lacks += _lacks(f"from_json({text}, {string_literal(f'{quote(name)} STRING')}).{quote(name)}", kind)
    return [f"coalesce({one}, false)" for one in lacks]


def _lacks(text: str, kind: DataType) -> list[str]:
    """The same of a value, in which rows may stand."""
    if kind.name == "ROW":
        return _missing(text, kind.children)
    if not kind.holds("ROW"):
        return []
    array = f"from_json({text}, 'ARRAY<STRING>')"
    if kind.name == "MAP":
        array = f"map_values(from_json({text}, 'MAP<STRING, STRING>'))"
    inside = _lacks("one", kind.children[-1][1])
    return [f"exists({array}, one -> {' OR '.join(inside)})"]
