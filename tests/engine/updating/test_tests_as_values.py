# ruff: noqa: E501 (a query of a table is one line)
"""IN, EXISTS, ALL and ANY of queries wherever they stand, with SQL's three truth values."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.sql.planner import plan_query
from tests.engine.small_tables import DDL, said_by_duckdb
from tests.in_turn import every_second

NONE = "(SELECT m FROM r WHERE m > 100)"
ALL = "(SELECT m FROM r)"
KNOWN = "(SELECT m FROM r WHERE m < 100)"
QUERIES = {
    "IN": f"SELECT k, n, n IN {ALL} AS a, n NOT IN {KNOWN} AS b FROM l",
    "IN of nothing": f"SELECT k, n IN {NONE} AS a, (n NOT IN {NONE}) IS TRUE AS b FROM l",
    "under OR": f"SELECT k, n FROM l WHERE k = 4 OR n NOT IN {ALL} OR n NOT IN {KNOWN}",
    "in CASE": f"SELECT k, CASE WHEN n IN {ALL} THEN 'in' WHEN NOT n IN {KNOWN} THEN 'out' ELSE 'unknown' END AS s FROM l",
    "pairs": "SELECT k, n FROM l WHERE (k, n) IN (SELECT k, m FROM r) OR k = 3",
    "in its group": "SELECT k, n, n IN (SELECT m FROM r WHERE r.k = l.k) AS a FROM l",
    "of groups": "SELECT k, n FROM l WHERE n IN (SELECT SUM(m) FROM r GROUP BY k) OR NOT (n IN (SELECT m FROM r) AND k < 3)",
    "EXISTS": f"SELECT k, EXISTS {NONE} AS b, NOT EXISTS (SELECT 1 FROM r WHERE r.k = l.k) AS c FROM l",
    "ANY": f"SELECT k, n, n <> ANY {ALL} AS a, n <= ANY {KNOWN} AS b, n > ANY {ALL} AS c FROM l",
    "ALL": f"SELECT k, n, n = ALL {KNOWN} AS a, n >= ALL {ALL} AS b, n < ALL {KNOWN} AS c FROM l",
    "of nothing": f"SELECT k, n > ANY {NONE} AS a, n = ALL {NONE} AS d FROM l",
    "in WHERE": f"SELECT k, n FROM l WHERE n > ANY {KNOWN} AND n <= ALL {KNOWN} OR n >= ALL (SELECT m FROM r WHERE r.k = l.k AND m IS NOT NULL)",
    "NULL in WHERE": f"SELECT k, n FROM l WHERE n > ALL {ALL} OR NOT n < ALL {ALL} OR n > ALL {NONE}",
    "in HAVING": f"SELECT k, SUM(n) AS s FROM l GROUP BY k HAVING SUM(n) IN {KNOWN} OR k = 3",
    "in an aggregate": f"SELECT COUNT(*) FILTER (WHERE n IN {KNOWN}) AS c FROM l",
    "of windows": "SELECT k, s, s > ANY (SELECT m FROM r) AS a FROM (SELECT k, SUM(n) AS s FROM lw GROUP BY k, window_start, window_end) AS w",
}  # fmt: skip


@pytest.mark.parametrize("query", every_second(QUERIES.values()), ids=QUERIES)
def test_rows(given, query: str) -> None:
    said = said_by_duckdb(query)
    assert said
    assert given(query) == {"stream": said, "batch": said}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "SELECT (k, n) IN (SELECT k, m FROM r) FROM l",
            "IN as a value, of several columns: not there yet; write NOT EX",
        ),
        ("SELECT k FROM l WHERE k = 1 OR n IN (SELECT k, m FROM r)", "wants a query of one column"),
        (
            "SELECT EXISTS (SELECT 1 FROM r WHERE r.m > l.n) FROM l",
            "compares with the row outside like this: not there yet",
        ),
        ("SELECT k FROM l WHERE ts > ALL (SELECT m FROM r)", "'>' can't compare"),
        ("SELECT k FROM l WHERE k = 1 OR nope IN (SELECT m FROM r)", "there is no column 'nope'"),
    ],
)
def test_what_is_refused(tmp_path, query: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        plan_query(DDL, query, tmp_path)
    assert message in str(refused.value)
