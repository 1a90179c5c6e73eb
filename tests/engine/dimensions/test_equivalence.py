"""Whatever stands above a lookup join: a batch computes what a stream published while its dimension changed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from airflow_nrt.describe.verdict import verdict_lines
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.spark import tuning
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from tests.engine.dimensions.reports import shops_table, write_shops
from tests.engine.reports import (
    DELAY,
    HOUR,
    MORNING,
    Stream,
    arriving,
    cut,
    events_table,
    options,
    plan_of,
    random_events,
)

EVENTS = events_table().replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), proctime AS PROCTIME(),")
JOINED = """
CREATE VIEW joined AS SELECT e.*, s.region FROM events AS e
LEFT JOIN shops FOR SYSTEM_TIME AS OF e.proctime AS s ON e.shop = s.id;"""
TUMBLE = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '20' MINUTE))"
FIRED = (
    "SELECT *, PROCTIME() AS p FROM (SELECT shop, window_start, window_end, COUNT(*) AS n, SUM(price) AS total FROM "
    f"{TUMBLE.format('events')} GROUP BY shop, window_start, window_end)"
)
AGGREGATED = (
    "SELECT region, window_end, COUNT(*), SUM(price) FROM TABLE(CUMULATE(TABLE joined, DESCRIPTOR(ts), "
    "INTERVAL '10' MINUTE, INTERVAL '1' HOUR)) GROUP BY region, window_start, window_end",
    # A join of windows, and windows over it.
    f"SELECT s.region, window_end, n, total FROM ({FIRED}) AS w LEFT JOIN shops FOR SYSTEM_TIME AS OF w.p AS s "
    "ON w.shop = s.id",
    f"SELECT s.region, window_end, SUM(n), SUM(total) FROM ({FIRED}) AS w JOIN shops FOR SYSTEM_TIME AS OF w.p AS s "
    "ON w.shop = s.id GROUP BY s.region, window_start, window_end",
)
OTHERS = (
    "SELECT region, window_end, COUNT(*), SUM(price) FROM TABLE(SESSION(TABLE joined PARTITION BY region, "
    "DESCRIPTOR(ts), INTERVAL '4' MINUTE)) GROUP BY region, window_start, window_end",
    "SELECT region, CAST(ts AS TIMESTAMP(3)), id, SUM(price) OVER (PARTITION BY region ORDER BY ts "
    "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM joined",
)


def write_some(place: Path, seed: int) -> None:
    """Some of three shops, one of them perhaps twice."""
    chance = random.Random(seed)
    rows = [(shop, f"{chance.choice(['north', 'south'])}{seed % 2}") for shop in (1, 2, 3) if chance.random() < 0.8]
    write_shops(place, rows + rows[: chance.randrange(2)], at=seed + 1)


def written(number: int, query: str) -> str:
    sink = options(connector="filesystem", path=f"${{DATA}}/r{number}", format="parquet")
    columns = "region STRING, at TIMESTAMP(3), n BIGINT, total DECIMAL(38, 2)"
    return f"CREATE TABLE r{number} ({columns}) WITH ({sink}); INSERT INTO r{number} {query};"


@pytest.mark.parametrize(
    ("queries", "rows_of_a_task"),
    [
        pytest.param(AGGREGATED, tuning.ROWS_OF_A_TASK, id="one task"),
        pytest.param(OTHERS, 10, id="several tasks", marks=pytest.mark.thorough),
    ],
)
def test_stream_and_batch_agree(
    spark, tmp_path: Path, monkeypatch, queries: tuple[str, ...], rows_of_a_task: int
) -> None:
    """A driver restarts in between. Of windows that end on a grid a backfill also publishes the same again."""
    monkeypatch.setattr(tuning, "ROWS_OF_A_TASK", rows_of_a_task)
    inserts = (written(number, query) for number, query in enumerate(queries))
    plan = plan_of(tmp_path, EVENTS, shops_table(), JOINED, *inserts)
    write_some(tmp_path, 0)
    stream = Stream(spark, plan, tmp_path / "home")
    for n, batch in enumerate(cut(arriving(random_events(5, 60, 2 * HOUR), 5, DELAY, late=0.1), 5, 3)):
        write_some(tmp_path, n)
        if n == 2:
            stream = Stream(spark, plan, tmp_path / "home")
        stream.absorb_batches(tmp_path, [batch])
    stream.end()
    write_some(tmp_path, 9)
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and all(one.equal > 0 for one in verdict.inserts), verdict_lines(verdict)
    assert len({version for entry in stream.entries for version in entry.dimensions.values()}) > 2
    if queries is AGGREGATED:
        backfill(spark, plan, stream.home, Interval(MORNING, MORNING + 2 * HOUR), check=False)
        again = verify(spark, plan, stream.home)
        assert again.is_proven and again.explained == 0, verdict_lines(again)
