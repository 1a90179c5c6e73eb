"""Queries as values: what is joined with what, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.updating import UpdatingJoin
from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS

TVF = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))"


@pytest.mark.parametrize(
    ("query", "kept", "names"),
    [
        ("SELECT * FROM orders WHERE price > (SELECT AVG(price) FROM orders)", [(0, 4, 1)], "id shop price ts"),
        (
            "SELECT shop, o.price - (SELECT AVG(price) FROM orders AS i WHERE i.shop = o.shop) AS d FROM orders AS o",
            [(1, 2, 2)],
            "shop d",
        ),
        (
            "SELECT id FROM orders AS o WHERE price < (SELECT MAX(price) FROM orders AS i "
            "WHERE o.shop = i.shop AND i.id + 1 = o.id AND i.price > 3)",
            [(2, 3, 3)],
            "id",
        ),
        # One value, however often it is asked for.
        (
            "SELECT shop FROM orders WHERE price BETWEEN (SELECT AVG(price) FROM orders) - 1 "
            "AND (SELECT AVG(price) FROM orders) + 1 AND id > (SELECT MIN(id) FROM orders)",
            [(0, 3, 1), (0, 4, 1)],
            "shop",
        ),
        ("SELECT shop, (SELECT 5) AS five FROM orders", [], "shop five"),
        ("SELECT shop FROM orders GROUP BY shop HAVING COUNT(*) > (SELECT COUNT(*) FROM orders)", [(0, 2, 1)], "shop"),
        ("SELECT id FROM orders WHERE id = (SELECT id FROM orders ORDER BY id DESC LIMIT 1)", [(0, 1, 1)], "id"),
        # Inside aggregates, their FILTER and the keys it is a value of rows.
        ("SELECT shop, SUM(id * (SELECT MAX(id) FROM orders)) AS s FROM orders GROUP BY shop", [(0, 2, 1)], "shop s"),
        (
            "SELECT o.shop, COUNT(*) FILTER (WHERE o.price > "
            "(SELECT AVG(price) FROM orders AS i WHERE i.shop = o.shop)) AS c "
            "FROM orders AS o GROUP BY o.shop HAVING MAX(o.id + (SELECT 1)) > 3",
            [(1, 3, 2)],
            "shop c",
        ),
        (
            "SELECT id > (SELECT AVG(id) FROM orders) AS h, COUNT(*) FROM orders "
            "GROUP BY id > (SELECT AVG(id) FROM orders)",
            [(0, 1, 1)],
            "h EXPR$1",
        ),
        ("SELECT (SELECT MAX(id) FROM orders) FROM orders", [(0, 0, 1)], "EXPR$0"),
    ],
)
def test_values_are_joined(query: str, kept: list[tuple[int, int, int]], names: str) -> None:
    """Of each join, the number of keys, and of the columns of the rows outside and of the query."""
    plan = plan_query(ORDERS, query, Path("/"))
    joins = [one for one in plan.updating if isinstance(one, UpdatingJoin)]
    assert [(len(one.keys), len(one.left.columns), len(one.right.columns)) for one in joins] == kept
    assert all(one.kind == "LEFT" for one in joins)
    assert [column.name for column in plan.inserts[0].sink.columns] == names.split()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT id FROM orders WHERE id > (SELECT id, shop FROM orders)", "a query as a value must select one column"),
        ("SELECT id FROM orders WHERE id > (SELECT * FROM orders)", "a query as a value must select one column"),
        ("SELECT id FROM orders WHERE id > (SELECT id FROM orders)", "a query of several rows as a value: not there"),
        ("SELECT id FROM orders WHERE id > (SELECT nope FROM orders)", "there is no column 'nope'"),
        (
            "SELECT id FROM orders AS o WHERE id > (SELECT MAX(id) FROM orders AS i WHERE i.id < o.id)",
            "not there yet; compare a column of the query and one outside with =",
        ),
        (
            "SELECT id FROM orders AS o WHERE id = (SELECT i.id FROM orders AS i WHERE i.id = o.id)",
            "not there yet; select one aggregate without GROUP BY",
        ),
        (
            "SELECT id FROM orders AS o WHERE id = (SELECT COUNT(*) + 1 FROM orders AS i WHERE i.id = o.id)",
            "not there yet; select COUNT alone, and compute with it in the outer query",
        ),
        (f"SELECT COUNT(*) FROM {TVF} WHERE id > (SELECT 1) GROUP BY window_start, window_end", "still to be grouped"),
        (
            f"SELECT SUM(id * (SELECT 1)) FROM {TVF} GROUP BY window_start, window_end",
            "still to be grouped: not there yet; group in a subquery and compare in the query over it, or join in FROM",
        ),
        (
            "SELECT SUM(id * (SELECT MAX(id) FROM orders)) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)",
            "a query as a value where a windowing function is still to be grouped: not there yet; group in a subquery",
        ),
    ],
)
def test_what_is_no_value(query: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        plan_query(ORDERS, query, Path("/"))
