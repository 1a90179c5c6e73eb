# ruff: noqa: E501 (a row of a table is one line)
"""Words of standard SQL that are not here: each error says what to write instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS

FRAME = "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"
INSTEAD = {
    "SELECT LAST_VALUE(id) IGNORE NULLS OVER (ORDER BY ts) FROM orders": "23: IGNORE NULLS is what LAST_VALUE does anyway",
    "SELECT FIRST_VALUE(id IGNORE NULLS) FROM orders": "23: IGNORE NULLS is what FIRST_VALUE does anyway: leave it out",
    "SELECT LAST_VALUE(id) RESPECT NULLS FROM orders": "23: LAST_VALUE ignores NULL, also with RESPECT NULLS",
    "SELECT LAG(id) IGNORE NULLS OVER (ORDER BY ts) FROM orders": "16: LAG counts rows with NULL, too: instead of",
    "SELECT LAG(id) RESPECT NULLS OVER (ORDER BY ts) FROM orders": "16: LAG takes no RESPECT NULLS: leave it out",
    "SELECT ARRAY_AGG(id IGNORE NULLS) FROM orders": "21: there is no IGNORE NULLS: write ARRAY_AGG(…) FILTER (WHERE …",
    "SELECT ARRAY_AGG(id ORDER BY ts) FROM orders": "21: ORDER BY inside ARRAY_AGG: not there yet; values are in",
    "SELECT ts AT TIME ZONE 'UTC' FROM orders": "11: AT TIME ZONE: not there yet; CAST to TIMESTAMP_LTZ(3) uses SET",
    f"SELECT SUM(id) OVER (ORDER BY ts {FRAME} EXCLUDE TIES) FROM orders": "75: EXCLUDE in a frame: not there yet; subtract",
    f"SELECT SUM(id) OVER (ORDER BY ts {FRAME} EXCLUDE NO OTHERS) FROM orders": "75: EXCLUDE NO OTHERS is what a frame",
    "SELECT * FROM orders WHERE id > ALL (1, 2)": "33: > ALL of a list: not there yet; join comparisons with AND or OR",
}


@pytest.mark.parametrize("query", INSTEAD)
def test_what_to_write_instead(query: str) -> None:
    with pytest.raises(SqlError, match=re.escape(f"line 1, column {INSTEAD[query]}")):
        plan_query(ORDERS, query, Path("/"))


@pytest.mark.parametrize(
    ("query", "plain"),
    [
        ("id = ANY (SELECT id FROM orders)", "id IN (SELECT id FROM orders)"),
        ("id = SOME (1, 2)", "id IN (1, 2)"),
        ("id <> ALL (SELECT id FROM orders)", "id NOT IN (SELECT id FROM orders)"),
    ],
)
def test_what_means_in(query: str, plain: str) -> None:
    one, other = (plan_query(ORDERS, f"SELECT id FROM orders WHERE {part}", Path("/")) for part in (query, plain))
    assert [insert.query for insert in one.inserts] == [insert.query for insert in other.inserts]


def test_a_column_of_a_reserved_name_is_quoted() -> None:
    plan = plan_query(ORDERS, "SELECT `qualify` FROM (SELECT id AS `qualify` FROM orders)", Path("/"))
    assert [column.name for column in plan.inserts[0].sink.columns] == ["qualify"]
