"""What makes a SELECT an aggregation, and what stands inside its aggregates and keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.updating import UpdatingAggregate
from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS

TVF = "TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE))"
NOT_GROUPED = "is not being grouped: add it to GROUP BY"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM orders WHERE price > 0 HAVING price > 1",
        f"SELECT id FROM {TVF} HAVING price > 1",
        "SELECT o.id FROM orders AS o JOIN orders AS p ON o.id = p.id HAVING o.price > 1",
        "SELECT SUM(price) OVER (ORDER BY ts) FROM orders HAVING price > 1",
        "SELECT id FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY id) AS n FROM orders HAVING price > 1) WHERE n < 3",
        "SELECT a FROM (VALUES (1), (2)) AS t (a) HAVING a > 1",
        "SELECT id FROM orders HAVING price > 1 ORDER BY id LIMIT 3",
        "SELECT DISTINCT id FROM orders HAVING price > 1",
        "SELECT id FROM orders WHERE shop IN (SELECT shop FROM orders HAVING price > 1)",
        "SELECT id FROM orders HAVING price > (SELECT AVG(price) FROM orders)",
    ],
)
def test_having_makes_one_group_of_all_rows(query: str) -> None:
    with pytest.raises(InputError, match=NOT_GROUPED):
        plan_query(ORDERS, query, Path("/"))


@pytest.mark.parametrize(
    ("condition", "aggregates"),
    [
        ("COUNT(*) > 1", 1),
        ("1 > 0", 1),
        ("COUNT(*) > (SELECT MAX(id) FROM orders)", 2),
        ("9 > (SELECT MAX(id) FROM orders)", 2),
    ],
)
def test_having_over_one_group(condition: str, aggregates: int) -> None:
    plan = plan_query(ORDERS, f"SELECT 1 AS one FROM orders HAVING {condition}", Path("/"))
    groups = [one for one in plan.updating if isinstance(one, UpdatingAggregate)]
    assert len(groups) == aggregates and all(group.keys == () for group in groups)


RANKED = "SELECT id FROM (SELECT *, {} AS n FROM {}) WHERE n < 3"


@pytest.mark.parametrize(
    "query",
    [
        RANKED.format("ROW_NUMBER() FILTER (WHERE id > 1) OVER (PARTITION BY shop ORDER BY price)", "orders"),
        RANKED.format("RANK(DISTINCT) OVER (PARTITION BY shop ORDER BY price)", "orders"),
        RANKED.format(
            "DENSE_RANK() FILTER (WHERE id > 1) OVER (PARTITION BY window_start, window_end ORDER BY id)", TVF
        ),
        "SELECT id, ROW_NUMBER() FILTER (WHERE id > 1) OVER (ORDER BY ts) AS n FROM orders",
        "SELECT id, LAG(DISTINCT price) OVER (ORDER BY ts) AS n FROM orders",
    ],
)
def test_what_looks_at_places_passes_over_no_row(query: str) -> None:
    message = " takes neither DISTINCT nor FILTER nor WITHIN GROUP: leave rows out in a subquery in FROM"
    with pytest.raises(InputError, match=re.escape(message)):
        plan_query(ORDERS, query, Path("/"))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT SUM(LAG(id) OVER (ORDER BY ts)) FROM orders", "line 1, column 8: SUM can't take OVER inside"),
        ("SELECT shop FROM orders GROUP BY shop HAVING MAX(RANK() OVER (ORDER BY id)) > 1", "MAX can't take OVER"),
        ("SELECT COUNT(*) FROM orders GROUP BY SUM(id) OVER (ORDER BY ts)", "column 38: GROUP BY can't take OVER"),
    ],
)
def test_over_inside_of_groups(query: str, message: str) -> None:
    message = f"{re.escape(message)}.*: select it in a subquery in FROM, and use its column here"
    with pytest.raises(InputError, match=message):
        plan_query(ORDERS, query, Path("/"))
