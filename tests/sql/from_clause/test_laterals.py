"""Rows that become several keep their order: each has positions for them, as many as BIGINT can hold."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.sql.planner import plan_query

DDL = """
CREATE TABLE t (ts TIMESTAMP(3), a ARRAY<ARRAY<INT>>, WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json')
"""
ROWS = {
    "two one after another": "t CROSS JOIN UNNEST(a) AS u (b) CROSS JOIN UNNEST(b) AS v (x)",
    "one over the rows of another": "(SELECT * FROM t CROSS JOIN UNNEST(a) AS u (b)) CROSS JOIN UNNEST(b) AS v (x)",
    "in one side of a union": (
        "(SELECT ts, a[1] AS b FROM t UNION ALL SELECT ts, b FROM t CROSS JOIN UNNEST(a) AS u (b)) "
        "CROSS JOIN UNNEST(b) AS v (x)"
    ),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_the_places_of_many_rows_fit(rows: str) -> None:
    query = "SELECT window_end, FIRST_VALUE(x) FROM TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '1' HOUR) GROUP BY {}"
    view = f"{DDL}; CREATE VIEW w AS SELECT ts, x FROM {rows}"
    plan = plan_query(view, query.format("window_start, window_end"), Path())
    factors = [int(one) for one in re.findall(r"_nrt_pos\.row \* (\d+)L", plan.operators[0].input.sql)]
    assert factors and 2**27 * math.prod(factors) <= 2**63
    with pytest.raises(InputError, match="more than two LATERAL or UNNEST one after another"):
        more = "CREATE VIEW y AS SELECT w.ts FROM w CROSS JOIN UNNEST(ARRAY[1]) AS u (p) CROSS JOIN UNNEST(ARRAY[1])"
        plan_query(f"{view}; {more} AS v (q)", query.replace("w,", "y,").format("window_start, window_end"), Path())
