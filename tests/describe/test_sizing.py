"""The estimate: it grows with what it depends on, and names the largest part of the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.sizing import Load, estimate
from airflow_nrt.sql.planner import plan_report

REPORT = """
CREATE TABLE orders (item INT, user_id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
  WITH ('connector' = 'filesystem', 'path' = '/orders', 'format' = 'csv');
CREATE TABLE sales (item INT, ends TIMESTAMP(3), n BIGINT) WITH ('connector' = 'print');
INSERT INTO sales SELECT item, window_end, {aggregate}
FROM TABLE({window}) GROUP BY item, window_start, window_end;
"""
DAY = "CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' DAY)"
TEN_MINUTES = "TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE)"
SESSION = "SESSION(TABLE orders PARTITION BY item, DESCRIPTOR(ts), INTERVAL '10' MINUTE)"
DISTINCT = "COUNT(DISTINCT user_id)"


def estimated(load: Load, window: str = DAY, aggregate: str = DISTINCT) -> dict[str, Any]:
    return estimate(plan_report(REPORT.format(window=window, aggregate=aggregate), "sales", Path("/")), load)


def test_state_of_a_day_is_its_distinct_values() -> None:
    day = estimated(Load(1000, 10_000))["state_bytes"]
    assert 86_400_000 * 5 < day < 86_400_000 * 15
    assert estimated(Load(1000, 10_000, new_values=0.1))["state_bytes"] == pytest.approx(day / 10, rel=0.1)
    assert estimated(Load(1000, 10_000), TEN_MINUTES)["state_bytes"] < day / 100
    assert estimated(Load(1000, 10_000), aggregate="COUNT(*)")["state_bytes"] < 2 * 10_000 * 50


def test_work_grows_with_the_rate_and_seen_values_hurt_first() -> None:
    slow, fast = estimated(Load(1000, 10_000)), estimated(Load(1_000_000, 10_000))
    assert slow["most"] == "starting micro-batches and firings" and slow["cores"] <= 2
    assert fast["most"] == "looking through seen values" and fast["cores"] > 10
    assert fast["delay_seconds"] > slow["delay_seconds"]
    assert estimated(Load(1_000_000, 10_000), aggregate="COUNT(*)")["most"] == "parsing rows and writing partials"


def test_what_no_grid_holds_is_named() -> None:
    assert len(estimated(Load(10, 10), SESSION)["not_counted"]) == 1


@pytest.mark.parametrize("wrong", [(0, 1, 1.0), (1, 0, 1.0), (1, 1, 1.5), (1, 1, -0.1)])
def test_a_load_that_is_none(wrong: tuple[float, int, float]) -> None:
    with pytest.raises(InputError, match="greater than 0"):
        Load(*wrong)
