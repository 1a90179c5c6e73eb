"""Windows over the last row of each key: a row that replaces another moves it out of its window."""

from __future__ import annotations

import pytest

from tests.engine.small_tables import said_by_duckdb


def last(columns: str, partition: str, order: str = "ts DESC", limit: int = 1) -> str:
    return f"""(SELECT * FROM (
        SELECT {columns}, ROW_NUMBER() OVER (PARTITION BY {partition} ORDER BY {order}) AS i FROM l
    ) WHERE i <= {limit})"""


MINUTE = "INTERVAL '1' MINUTE"
QUERIES = {
    "last": (
        f"""SELECT window_start, COUNT(*) AS keys, SUM(n) AS s
        FROM TABLE(TUMBLE(TABLE {last("*", "k")}, DESCRIPTOR(ts), {MINUTE})) GROUP BY window_start, window_end""",
        f"""SELECT date_trunc('minute', ts), COUNT(*), SUM(n) FROM {last("*", "k")} GROUP BY 1""",
    ),
    "last two": (
        f"""SELECT k, COUNT(*) AS c FROM {last("k, n, ts", "k", limit=2)} GROUP BY k, TUMBLE(ts, {MINUTE})""",
        f"""SELECT k, COUNT(*) FROM {last("k, n, ts", "k", limit=2)} GROUP BY k, date_trunc('minute', ts)""",
    ),
    "greatest": (
        f"""SELECT window_end, MAX(n) AS m
        FROM TABLE(HOP(TABLE {last("*", "k", "n DESC, ts")}, DESCRIPTOR(ts), {MINUTE}, INTERVAL '2' MINUTE))
        GROUP BY window_start, window_end""",
        f"""SELECT date_trunc('minute', ts) + INTERVAL 1 MINUTE * unnest([1, 2]) AS e, MAX(n)
        FROM {last("*", "k", "n DESC NULLS LAST, ts")} GROUP BY e""",
    ),
}


@pytest.mark.parametrize(("query", "said"), QUERIES.values(), ids=QUERIES)
def test_rows(given, query: str, said: str) -> None:
    right = said_by_duckdb(said)
    assert right and given(query) == {"stream": right, "batch": right}
