"""QUALIFY is a WHERE over the query, whose columns are those of the query."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.planner import plan_query

DDL = """CREATE TABLE t (shop STRING, user_id INT, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');"""
SUMS = """SELECT shop, window_start, window_end, SUM(n) AS total
FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end"""
OVER = "OVER (PARTITION BY window_start, window_end ORDER BY total DESC)"


def plan(query: str) -> Plan:
    return plan_query(DDL, query, Path("/data"))


def columns(query: str) -> list[str]:
    return [field.name for field in plan(query).inserts[0].query.fields]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (f"SELECT shop, total FROM ({SUMS}) QUALIFY ROW_NUMBER() {OVER} <= 3", ["shop", "total"]),
        (f"SELECT *, ROW_NUMBER() {OVER} AS place FROM ({SUMS}) QUALIFY place <= 3",
         ["shop", "window_start", "window_end", "total", "place"]),
        (f"SELECT * FROM ({SUMS}) QUALIFY ROW_NUMBER() {OVER} = 1", ["shop", "window_start", "window_end", "total"]),
        ("SELECT * FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts) = 1",
         ["shop", "user_id", "n", "ts"]),
    ],
)  # fmt: skip
def test_columns(query: str, names: list[str]) -> None:
    assert columns(query) == names


def test_it_is_what_one_writes_without_it() -> None:
    short = plan(f"SELECT shop, window_start, window_end, total FROM ({SUMS}) QUALIFY ROW_NUMBER() {OVER} <= 3")
    long = plan(
        f"SELECT shop, window_start, window_end, total FROM (SELECT *, ROW_NUMBER() {OVER} AS place FROM ({SUMS})) "
        "WHERE place <= 3"
    )
    assert short.operators == long.operators and short.regroups == long.regroups
    assert (short.updating, short.inserts[0].window) == (long.updating, long.inserts[0].window)


def test_messages_have_the_call_as_it_is_written() -> None:
    with pytest.raises(SqlError, match="there is no column 'm'"):
        plan(f"SELECT shop FROM ({SUMS}) QUALIFY m > ROW_NUMBER() {OVER}")
