"""TUMBLE, HOP and SESSION in GROUP BY over PROCTIME() itself: as over a column that is PROCTIME()."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.operators import WindowAggregate
from airflow_nrt.sql.planner import plan_query

TABLE = "CREATE TABLE t (k STRING, n INT) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');"
MINUTE = "INTERVAL '1' MINUTE"


def operator(query: str) -> WindowAggregate:
    plan = plan_query(TABLE, query, Path("/"))
    (one,) = plan.operators
    assert plan.waits_for_clock
    return replace(one, input=replace(one.input, sql=""))


@pytest.mark.parametrize("window", [f"TUMBLE({{0}}, {MINUTE})", f"HOP({{0}}, {MINUTE}, INTERVAL '5' MINUTE)"])
def test_its_time_may_be_proctime_itself(window: str) -> None:
    by_call, by_column = window.format("PROCTIME()"), window.format("p")
    query = "SELECT k, COUNT(*) AS c, SUM(x.n) AS s FROM {} GROUP BY k, {}"
    column = query.format("(SELECT *, PROCTIME() AS p FROM t) AS x", by_column)
    assert operator(query.format("t AS x", by_call)) == operator(column)


def test_its_bounds_repeat_proctime() -> None:
    window = f"TUMBLE(PROCTIME(), {MINUTE})"
    query = f"SELECT TUMBLE_END(PROCTIME(), {MINUTE}) AS e, COUNT(*) AS c FROM t GROUP BY {window}"
    assert operator(query).window.size == 60_000


def test_there_is_no_such_time_above_a_join() -> None:
    joined = f"SELECT COUNT(*) FROM t AS a JOIN t AS b ON a.k = b.k GROUP BY TUMBLE(PROCTIME(), {MINUTE})"
    with pytest.raises(InputError, match="processing time above a window or a join by rowtime: not there yet"):
        plan_query(TABLE, joined, Path("/"))
