"""Format `debezium-json`, as Flink writes it: `c` adds a row, `d` retracts one."""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.internal_columns import OP, WINDOW_END
from airflow_nrt.model.options.known import sink_option
from airflow_nrt.model.plan import Insert


def debezium_lines(rows: DataFrame, insert: Insert) -> DataFrame:
    """Rows (changes if they have `_nrt_op`) as lines. The columns of the partition and the window stay columns."""
    table = insert.sink
    row = ", ".join(quote(column.name) for column in table.physical if column.name not in table.partition_keys)
    gone = f"{OP} IN ('-U', '-D')" if OP in rows.columns else "false"
    sides = f"IF({gone}, struct({row}), NULL) AS before, IF({gone}, NULL, struct({row})) AS after"
    sparse = str(sink_option(table.options, "debezium-json.encode.ignore-null-fields")).lower()
    line = f"to_json(struct({sides}, IF({gone}, 'd', 'c') AS op), map('ignoreNullFields', '{sparse}')) AS value"
    others = [WINDOW_END] if insert.operators else []
    return rows.selectExpr(line, *(quote(name) for name in table.partition_keys), *others)
