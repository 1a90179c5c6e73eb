"""A query that several read is planned once, also for other columns. Names are checked also where FROM is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.sql.errors import SqlErrors
from airflow_nrt.sql.planner import plan_query

TABLES = """CREATE TABLE orders (id BIGINT, shop STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '/o', 'format' = 'json');
CREATE VIEW tens AS SELECT shop, window_start, window_end, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end;"""


@pytest.mark.parametrize(
    "query",
    [
        "SELECT shop, n FROM tens UNION ALL SELECT shop, n + 1 FROM tens",
        "SELECT a.n FROM tens a JOIN tens b ON a.shop = b.shop AND a.window_start = b.window_start "
        "AND a.window_end = b.window_end",
        "WITH t AS (SELECT * FROM tens) SELECT n FROM t UNION ALL SELECT n FROM tens",
        "SELECT shop FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY n DESC) AS r "
        "FROM tens) WHERE r <= 3 UNION ALL SELECT shop FROM tens",
    ],
)
def test_a_view_that_two_read_has_one_operator(query: str) -> None:
    assert len(plan_query(TABLES, query, Path("/")).operators) == 1


def test_names_are_checked_where_the_from_is_wrong() -> None:
    query = (
        "SELECT nothing, shop FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '0' MINUTES)) WHERE never > 1"
    )
    with pytest.raises(SqlErrors) as wrong:
        plan_query(TABLES, query, Path("/"))
    messages = [str(one).partition("\n")[0] for one in wrong.value.problems]
    assert [one.partition(";")[0] for one in messages if "there is no column" in one] == [
        "line 1, column 8: there is no column 'nothing'",
        f"line 1, column {query.index('never') + 1}: there is no column 'never'",
    ]
    assert len(messages) == 3
