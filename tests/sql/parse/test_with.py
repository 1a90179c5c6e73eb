"""WITH: which of its queries reads which."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("WITH orders AS (SELECT id FROM orders) SELECT * FROM orders", "id"),
        ("WITH a AS (SELECT * FROM orders), orders AS (SELECT shop FROM a) SELECT * FROM a", "id shop price ts"),
        ("WITH a AS (SELECT id FROM orders), b AS (SELECT * FROM a) SELECT * FROM b", "id"),
        ("WITH a AS (SELECT id FROM orders) SELECT * FROM (WITH a AS (SELECT id AS x FROM a) SELECT * FROM a)", "x"),
    ],
)
def test_a_query_of_with_reads_what_stands_in_front_of_it(query: str, read: str) -> None:
    plan = plan_query(ORDERS, query, Path("/"))
    assert [column.name for column in plan.inserts[0].sink.columns] == read.split()
    assert len(plan.sources) == 1
