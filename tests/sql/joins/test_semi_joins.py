"""IN of one column and of several, and a table under other names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.updating import UpdatingJoin
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS

TVF = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))"
BOUNDS = "window_start, window_end"


def test_several_columns_are_held_equal() -> None:
    query = "SELECT id FROM orders AS o WHERE (shop, id) IN (SELECT shop, MAX(id) FROM orders GROUP BY shop)"
    (join,) = (one for one in plan_query(ORDERS, query, Path("/")).updating if isinstance(one, UpdatingJoin))
    assert (join.kind, len(join.keys)) == ("SEMI", 2)


def test_window_bounds_among_several_columns_hold_the_windows_equal() -> None:
    plain = f"SELECT id FROM (SELECT * FROM {TVF}) WHERE ({BOUNDS}, shop) IN (SELECT {BOUNDS}, shop FROM {TVF})"
    plan = plan_query(ORDERS, plain, Path("/"))
    assert not plan.updating and plan.operators
    with pytest.raises(
        SqlError, match=r"without equal window_start: not there yet; add l\.window_start = r\.window_st"
    ):
        plan_query(ORDERS, plain.replace("window_start, ", ""), Path("/"))


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("(shop, id) IN (SELECT * FROM orders)", "IN wants a query of 2 columns"),
        ("(shop, id, ts) NOT IN (SELECT shop, id FROM orders)", "IN wants a query of 3 columns"),
        ("shop IN (SELECT shop, id FROM orders)", "IN wants a query of one column"),
        ("(shop, id) IN (SELECT id, shop FROM orders)", "'=' can't compare STRING and BIGINT: CAST one of them"),
    ],
)
def test_columns_that_do_not_match(condition: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        plan_query(ORDERS, f"SELECT id FROM orders WHERE {condition}", Path("/"))


def test_columns_of_windows_that_do_not_match() -> None:
    query = f"SELECT id FROM (SELECT * FROM {TVF}) WHERE ({BOUNDS}, shop) IN (SELECT {BOUNDS}, id FROM {TVF})"
    with pytest.raises(SqlError, match="IN can't compare STRING and BIGINT: CAST one of them"):
        plan_query(ORDERS, query, Path("/"))


def test_a_table_under_other_names() -> None:
    plan = plan_query(ORDERS, "SELECT t.a, d FROM orders AS t (a, b, c, d) WHERE b = 'x'", Path("/"))
    assert [column.name for column in plan.inserts[0].sink.columns] == ["a", "d"]
    windows = "SELECT COUNT(*) FROM TUMBLE((SELECT * FROM orders t(a, b, c, d)), DESCRIPTOR(d), INTERVAL '1' HOUR)"
    assert plan_query(ORDERS, f"{windows} GROUP BY {BOUNDS}", Path("/")).operators
    with pytest.raises(SqlError, match="the column list has 2 names, the query 4 columns"):
        plan_query(ORDERS, "SELECT a FROM orders AS t (a, b)", Path("/"))
