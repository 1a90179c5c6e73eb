"""Format `debezium-json`: one change a line, as `{"before": {…}, "after": {…}, "op": "c"}`.

`c` and `r` add a row, `d` retracts one, `u` does both. In a table with a key an update is the new row alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sources.json import OBJECT, exact, parse_objects
from airflow_nrt.model.internal_columns import OP
from airflow_nrt.model.options.known import source_option
from airflow_nrt.model.tables import LINE, Column, Table


def parse_debezium(lines: DataFrame, table: Table, wanted: Sequence[Column]) -> DataFrame:
    """Lines (`_nrt_line`) to typed columns, `_nrt_op` (+I, -D), `_nrt_fault` and `_nrt_why`; their other columns are
    kept.

    A line is malformed if it is no object, has an unknown operation or lacks a row of its operation. A wanted field is
    malformed if it is no value of its column's type.
    """
    others = [quote(name) for name in lines.columns]
    change = "before STRING, after STRING, op STRING"
    is_inside = source_option(table.options, "debezium-json.schema-include")
    schema = f"payload STRUCT<{change.replace(' ', ': ').replace(',:', ',')}>" if is_inside else change
    rows = lines.selectExpr(*others, f"from_json({exact(LINE)}, '{schema}') AS _nrt_read")
    at = "_nrt_read.payload" if is_inside else "_nrt_read"
    rows = rows.selectExpr(*others, f"{_changes(at, table)} AS _nrt_changes")
    # A malformed line becomes one row without an operation.
    nothing = f"array(struct(CAST(NULL AS STRING) AS op, {LINE} AS row))"
    known = "_nrt_changes IS NOT NULL AND NOT exists(_nrt_changes, one -> one.row IS NULL)"
    rows = rows.selectExpr(*others, f"explode(IF({known}, _nrt_changes, {nothing})) AS _nrt_change")
    rows = rows.selectExpr(*others, f"_nrt_change.op AS {OP}", f"_nrt_change.row AS {OBJECT}")
    return parse_objects(rows, wanted, is_none=f"{OP} IS NULL")


def _changes(at: str, table: Table) -> str:
    """SQL of the changes of a line; NULL if its operation is unknown.

    >>> changes = Table("changes", (), "filesystem", ("id",), options={"format": "debezium-json"})
    >>> print(_changes("_nrt_read", changes))
    CASE WHEN _nrt_read.op IN ('c', 'r') THEN array(struct('+I' AS op, _nrt_read.after AS row)) WHEN _nrt_read.op = 'u'
    THEN array(struct('-D' AS op, _nrt_read.before AS row), struct('+I' AS op, _nrt_read.after AS row)) WHEN
    _nrt_read.op = 'd' THEN array(struct('-D' AS op, _nrt_read.before AS row)) END
    """
    added, gone = f"struct('+I' AS op, {at}.after AS row)", f"struct('-D' AS op, {at}.before AS row)"
    update = f"array({added})" if table.primary_key else f"array({gone}, {added})"
    return f"CASE WHEN {at}.op IN ('c', 'r') THEN array({added}) WHEN {at}.op = 'u' THEN {update} " + (
        f"WHEN {at}.op = 'd' THEN array({gone}) END"
    )
