"""Rows as records of Kafka: key, value, and the headers that say what a record is of."""

from __future__ import annotations

import uuid

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.sinks.file_staging import spelled
from airflow_nrt.engine.sinks.kafka.contents import written
from airflow_nrt.model.connectors.kafka_options import KEY_FORMAT, UPSERT, key_part, key_prefix, value_part
from airflow_nrt.model.internal_columns import OP, WINDOW_END
from airflow_nrt.model.plan import Insert
from airflow_nrt.model.tables import Table

REPORT, INSERT, ENTRY, ROW, WINDOW, CHANGE = (
    f"nrt.{name}" for name in ("report", "insert", "entry", "row", "window_end", "op")
)
"""Names of headers. `nrt.window_end` is there where there are windows, `nrt.op` where rows change."""
KEY, VALUE, HEADERS = "key", "value", "headers"


def records(rows: DataFrame, insert: Insert) -> DataFrame:
    """The columns `key`, `value` and `headers` (without report and entry), and `_nrt_end` where rows are of windows."""
    windowed, changes = bool(insert.operators), OP in rows.columns
    row = f"concat('{uuid.uuid4().hex[:16]}-', monotonically_increasing_id())"
    named = {INSERT: string_literal(insert.name), ROW: row}
    named |= {WINDOW: _instant(WINDOW_END)} if windowed else {}
    named |= {CHANGE: OP} if changes else {}
    headers = ", ".join(header(name, sql) for name, sql in named.items())
    key, value = key_of(insert), value_of(insert.sink, changes)
    columns = (f"{key} AS {KEY}", f"{value} AS {VALUE}", f"array({headers}) AS {HEADERS}")
    return rows.selectExpr(*columns, *([WINDOW_END] if windowed else []))


def header(name: str, sql: str) -> str:
    """SQL of a header with a text.

    >>> print(header("epoch", "7L"))
    struct('epoch' AS key, CAST(7L AS BINARY) AS value)
    """
    return f"struct({string_literal(name)} AS key, CAST({sql} AS BINARY) AS value)"


def _instant(ms: str) -> str:
    """SQL of a time in milliseconds as a text.

    >>> print(_instant("_nrt_end"))
    date_format(timestamp_millis(_nrt_end), 'yyyy-MM-dd HH:mm:ss.SSS')
    """
    return f"date_format(timestamp_millis({ms}), 'yyyy-MM-dd HH:mm:ss.SSS')"


def key_of(insert: Insert) -> str:
    """SQL of the key: the columns of 'key.fields', or else of the window and the key of the result.

    to_json(struct(`shop` AS `shop`, date_format(timestamp_millis(_nrt_end), 'yyyy-MM-dd HH:mm:ss.SSS') AS
      window_end))
    """
    sink = insert.sink
    if KEY_FORMAT in sink.options:
        return written(key_part(sink), key_prefix(sink))
    known = [f"{spelled(sink, sink.column(name))} AS {quote(name)}" for name in insert.key or ()]
    if insert.operators and insert.end_column not in (insert.key or ()):
        known.append(f"{_instant(WINDOW_END)} AS window_end")
    return f"to_json(struct({', '.join(known)}))" if known else "CAST(NULL AS STRING)"


def value_of(sink: Table, changes: bool) -> str:
    """SQL of the value. Of an upsert, a retraction has none.

    to_json(struct(`shop` AS `shop`, date_format(`e`, "yyyy-MM-dd HH:mm:ss.SSS") AS `e`, `n` AS `n`),
      map('ignoreNullFields', 'false'))
    """
    value = written(value_part(sink), changes=changes)
    return f"IF({OP} = '-D', NULL, {value})" if changes and sink.connector == UPSERT else value
