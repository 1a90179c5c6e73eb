"""Formats of changes, as Flink writes them: a record adds a row, or retracts one."""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.internal_columns import OP, WINDOW_END
from airflow_nrt.model.options.change_formats import ChangeFormat
from airflow_nrt.model.options.known import sink_option
from airflow_nrt.model.plan import Insert

IS_GONE = f"{OP} IN ('-U', '-D')"
"""SQL condition of a row that is retracted."""


def change_lines(rows: DataFrame, insert: Insert, form: ChangeFormat) -> DataFrame:
    """Rows (changes if they have `_nrt_op`) as lines. The columns of the partition and the window stay columns."""
    table = insert.sink
    row = ", ".join(quote(column.name) for column in table.physical if column.name not in table.partition_keys)
    record = form.written(f"struct({row})", IS_GONE if OP in rows.columns else "false")
    sparse = str(sink_option(table.options, f"{form.name}.encode.ignore-null-fields")).lower()
    line = f"to_json({record}, map('ignoreNullFields', '{sparse}')) AS value"
    others = [WINDOW_END] if insert.operators else []
    return rows.selectExpr(line, *(quote(name) for name in table.partition_keys), *others)
