"""Whatever the planner takes, Spark's parser takes too."""

from __future__ import annotations

import json
from pathlib import Path

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query


def test_a_sum_of_many_terms(spark) -> None:
    plan = plan_query("", f"SELECT {' + '.join(['1'] * 300)} AS x", Path("/"))
    assert list(map(json.loads, run_bounded(spark, plan, "batch"))) == [{"x": 300}]
