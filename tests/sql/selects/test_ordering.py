"""ORDER BY: by names, by places, by what is not selected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS


@pytest.mark.parametrize(
    ("by_place", "by_name"),
    [
        ("SELECT shop, id FROM orders ORDER BY 2 DESC LIMIT 3", "SELECT shop, id FROM orders ORDER BY id DESC LIMIT 3"),
        (
            "SELECT * FROM orders ORDER BY 3, 1 LIMIT 3",
            "SELECT id, shop, price, ts FROM orders ORDER BY price, id LIMIT 3",
        ),
        ("SELECT id + 1 AS a FROM orders ORDER BY 1", "SELECT id + 1 AS a FROM orders ORDER BY a"),
        (
            "SELECT shop FROM orders UNION SELECT shop FROM orders ORDER BY 1 LIMIT 1",
            "SELECT shop FROM orders UNION SELECT shop FROM orders ORDER BY shop LIMIT 1",
        ),
        ("SELECT shop FROM orders ORDER BY id, 1 LIMIT 3", "SELECT shop FROM orders ORDER BY id, shop LIMIT 3"),
    ],
)
def test_a_number_is_the_place_of_a_column(by_place: str, by_name: str) -> None:
    one, other = (plan_query(ORDERS, query, Path("/")) for query in (by_place, by_name))
    assert one.updating == other.updating
    assert [(insert.query, insert.order) for insert in one.inserts] == [(i.query, i.order) for i in other.inserts]


@pytest.mark.parametrize("place", [0, 3])
@pytest.mark.parametrize("limit", ["", " LIMIT 2"])
def test_a_place_that_is_none(place: int, limit: str) -> None:
    message = (
        f"line 1, column 38: ORDER BY {place} means column {place} of the query, which has 2: write 1 to 2, or a name"
    )
    with pytest.raises(SqlError, match=re.escape(message)):
        plan_query(ORDERS, f"SELECT id, shop FROM orders ORDER BY {place}{limit}".replace("  ", " "), Path("/"))
