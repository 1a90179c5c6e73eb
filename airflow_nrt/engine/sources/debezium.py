"""Format `debezium-json`: one change a line, as `{"before": {…}, "after": {…}, "op": "c"}`.

`c` and `r` add a row, `d` takes one back, `u` does both; of a table with a key an update is the row behind it alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.engine.sources.json import OPTIONS
from airflow_nrt.engine.sources.times_of_day import json_type, of_json, wrong_in_json
from airflow_nrt.report.hidden import OP
from airflow_nrt.report.options import source_option
from airflow_nrt.report.spelling import quote, string_literal
from airflow_nrt.report.tables import LINE, Column, Table
from airflow_nrt.report.types import STRING, DataType


def parse_debezium(lines: DataFrame, table: Table, wanted: Sequence[Column]) -> DataFrame:
    """Lines (`_nrt_line`) to typed columns, `_nrt_op` (+I, -D) and `_nrt_malformed`; all their columns pass through.

    A line is malformed if it is no object, has an unknown operation or lacks a row that this one needs, or if a wanted
    field is no value of its column's type.
    """
    others = [quote(name) for name in lines.columns]
    kind = DataType("ROW", children=tuple((column.name, column.type) for column in wanted) or (("_nrt_none", STRING),))
    row = json_type(kind)
    names = ("before", row), ("after", row), ("op", "STRING")
    is_inside = source_option(table.options, "debezium-json.schema-include")
    inside = f"payload STRUCT<{', '.join(f'{name}: {kind}' for name, kind in names)}>"
    schema = inside if is_inside else ", ".join(f"{name} {kind}" for name, kind in names)
    parsed = f"from_json({LINE}, {string_literal(f'{schema}, _nrt_broken STRING')}, {OPTIONS}) AS _nrt_object"
    at = "_nrt_object.payload" if is_inside else "_nrt_object"
    rows = lines.selectExpr(*others, parsed)
    rows = rows.selectExpr(*others, f"{_changes(at, table)} AS _nrt_changes", "_nrt_object._nrt_broken AS _nrt_broken")
    wrong = " OR ".join(["one.row IS NULL", *wrong_in_json("one.row", kind)])
    malformed = f"_nrt_changes IS NULL OR _nrt_broken IS NOT NULL OR exists(_nrt_changes, one -> {wrong})"
    nothing = f"array(struct(CAST(NULL AS STRING) AS op, CAST(NULL AS {row}) AS row))"
    rows = rows.selectExpr(*others, "_nrt_changes", f"({malformed}) AS _nrt_malformed")
    rows = rows.selectExpr(
        *others, "_nrt_malformed", f"explode(IF(_nrt_malformed, {nothing}, _nrt_changes)) AS _nrt_change"
    )
    fields = [(f"_nrt_change.row.{quote(column.name)}", column) for column in wanted]
    values = [f"{of_json(field, column.type)} AS {quote(column.name)}" for field, column in fields]
    return rows.selectExpr(*others, *values, f"_nrt_change.op AS {OP}", "_nrt_malformed")


def _changes(at: str, table: Table) -> str:
    """SQL of the changes of a line, NULL if it tells of none."""
    added, gone = f"struct('+I' AS op, {at}.after AS row)", f"struct('-D' AS op, {at}.before AS row)"
    update = f"array({added})" if table.primary_key else f"array({gone}, {added})"
    return f"CASE WHEN {at}.op IN ('c', 'r') THEN array({added}) WHEN {at}.op = 'u' THEN {update} " + (
        f"WHEN {at}.op = 'd' THEN array({gone}) END"
    )
