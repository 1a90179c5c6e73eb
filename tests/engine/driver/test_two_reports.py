"""Two reports in one Spark application: what they name alike and mean differently never meets, and no name is left."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.batch.analysis import analyse
from airflow_nrt.engine.driver.batch_staging import BatchStaging
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.engine.spark.tuning import SHUFFLE_PARTITIONS
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from tests.engine.reports import DAY, MORNING, Stream, plan_of, rows_of, source_file, write_lines
from tests.python_modules import write_module

REPORT = """
SET 'table.local-time-zone' = '{zone}';
CREATE FUNCTION weight AS '{module}.weight' LANGUAGE PYTHON;
CREATE TABLE shops (shop {key}, region STRING)
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/shops', 'format' = 'csv');
CREATE TABLE orders (shop {key}, price {price}, ts TIMESTAMP_LTZ(3), at AS PROCTIME(), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/orders', 'format' = 'csv', {options});
CREATE VIEW placed AS SELECT o.ts, weight(o.price) AS weight, s.region
FROM orders AS o JOIN shops FOR SYSTEM_TIME AS OF o.at AS s ON o.shop = s.shop;
CREATE TABLE curve (region STRING, window_start TIMESTAMP(3), n BIGINT, total {total})
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/curve', 'format' = 'parquet');
INSERT INTO curve SELECT region, window_start, COUNT(*), SUM(weight)
FROM TABLE(TUMBLE(TABLE placed, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY region, window_start, window_end;"""
LIVE = "'source.monitor-interval' = '50 ms', 'source.max-batch-size' = '1 b'"
BATCHES = 2
Row = tuple[Any, Any, datetime]


@dataclass(frozen=True)
class Meaning:
    """What the names of `REPORT` mean in one of two reports."""

    key: str
    price: str
    total: str
    zone: str
    function: str
    shops: dict[Any, str]
    batches: list[list[Row]]
    weight: Callable[[Any], Any]

    def plan(self, place: Path, options: str = LIVE) -> Plan:
        module = write_module(place, self.function)
        write_lines(place / "shops" / "shops.csv", (f"{key},{region}" for key, region in self.shops.items()))
        for n, batch in enumerate(self.batches):
            lines = (f"{shop},{price},{at:%Y-%m-%d %H:%M:%S}.000Z" for shop, price, at in batch)
            write_lines(place / "orders" / f"{n}.csv", lines, at=(n + 1) * 10**9)
        given = {name: getattr(self, name) for name in ("key", "price", "total", "zone")}
        return plan_of(place, REPORT.format(**given, module=module, options=options), name=place.name)

    @property
    def curve(self) -> list[tuple[Any, ...]]:
        """The windows that the last batch completes."""
        found: dict[tuple[str, datetime], list[Any]] = defaultdict(list)
        for shop, price, at in (row for batch in self.batches[:-1] for row in batch):
            day = at.replace(tzinfo=ZoneInfo("UTC")).astimezone(ZoneInfo(self.zone)).replace(hour=0, tzinfo=None)
            found[self.shops[shop], day.replace(minute=0)].append(self.weight(price))
        return [(region, day, len(some), sum(some)) for (region, day), some in sorted(found.items())]


def spread(rows: int, shops: Sequence[Any], price: Callable[[int], Any]) -> list[list[Row]]:
    """Batches of so many rows, an hour apart; a week later there is one row more."""
    start = datetime(2024, 6, 18)
    made = [
        [(shops[n % len(shops)], price(n), start + timedelta(hours=20 * batch, minutes=7 * n)) for n in range(rows)]
        for batch in range(BATCHES)
    ]
    return [*made, [(shops[0], price(0), start + timedelta(days=7))]]


DOUBLED = Meaning(
    "INT", "INT", "BIGINT", "Asia/Tokyo", "def weight(n: int) -> int: return 2 * n\n", {1: "north", 2: "south"},
    spread(4, (1, 2), lambda n: n + 1), lambda n: 2 * n,
)  # fmt: skip
LETTERS = Meaning(
    "STRING", "STRING", "DECIMAL(38, 2)", "America/New_York",
    """
    from decimal import Decimal
    from typing import Annotated
    def weight(text: str) -> Annotated[Decimal, "DECIMAL(10, 2)"]: return Decimal(len(text)) / 4
    """,
    {"a": "east", "b": "west", "c": "east"},
    spread(60, ("a", "b", "c"), lambda n: "x" * (n % 5 + 1)), lambda text: Decimal(len(text)) / 4,
)  # fmt: skip


def names_in(spark: SparkSession) -> set[str]:
    """The views and functions that somebody has named in a session."""
    views, functions = (spark.sql(f"SHOW {what}").collect() for what in ("VIEWS", "USER FUNCTIONS"))
    return {row.viewName for row in views} | {row.function for row in functions}


@pytest.mark.timeout(600)
def test_two_at_once_share_nothing(
    spark: SparkSession, tmp_path: Path, several_tasks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of their batches begins when one of the other does."""
    meanings = {"doubled": DOUBLED, "letters": LETTERS}
    plans = {name: meaning.plan(tmp_path / name) for name, meaning in meanings.items()}
    homes = {name: Home.create(tmp_path / name / "home", plan) for name, plan in plans.items()}
    tasks: dict[str, set[tuple[int, str | None]]] = defaultdict(set)
    both, stage = threading.Barrier(2, timeout=200), BatchStaging.stage

    def staged(batches: BatchStaging, *given: Any) -> Any:
        both.wait()
        done = stage(batches, *given)
        partitions = batches._spark.conf.get(SHUFFLE_PARTITIONS)
        tasks[batches._plan.name].add((batches._store.tasks.count, partitions))
        return done

    monkeypatch.setattr(BatchStaging, "stage", staged)
    before, settings = names_in(spark), dict(spark.conf.getAll)
    with ThreadPoolExecutor(2) as threads:
        running = [threads.submit(Runner(spark, plans[name], homes[name], available_now=True).run) for name in plans]
        assert [one.result() for one in running] == ["finished", "finished"]
        for name, meaning in meanings.items():
            assert rows_of(tmp_path / name / "curve") == meaning.curve
        assert all(int(partitions or 0) == count for one in tasks.values() for count, partitions in one)
        assert max(count for count, _ in tasks["doubled"]) == 1 < max(count for count, _ in tasks["letters"])
        proving = [threads.submit(verify, spark, plans[name], homes[name]) for name in plans]
        verdicts = [one.result() for one in proving]
    assert all(one.is_proven for one in verdicts), verdicts
    assert [one.equal for one in verdicts] == [
        len({day for _, day, *_ in meaning.curve}) for meaning in meanings.values()
    ]
    assert names_in(spark) == before and dict(spark.conf.getAll) == settings


@pytest.mark.timeout(400)
def test_no_name_and_no_setting_of_a_report_is_left(spark: SparkSession, tmp_path: Path) -> None:
    before, settings = names_in(spark), dict(spark.conf.getAll)
    plan = DOUBLED.plan(tmp_path)
    analyse(spark, plan)
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home, available_now=True).run() == "finished"
    assert verify(spark, plan, home).is_proven
    backfill(spark, plan, home, Interval(MORNING, MORNING + DAY), check=False)
    assert list(run_bounded(spark, DOUBLED.plan(tmp_path, "'source.max-batch-size' = '1 b'"), "batch"))
    assert names_in(spark) == before and dict(spark.conf.getAll) == settings


@pytest.mark.timeout(200)
def test_names_of_a_query_are_gone_once_it_is_planned(spark: SparkSession, tmp_path: Path) -> None:
    """In the session of the report itself there is what stands: its functions, and the dimension as it is now."""
    plan = LETTERS.plan(tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    session = stream.driver.spark
    standing, settings = names_in(session), dict(session.conf.getAll)
    assert {name.rpartition("_")[0] for name in standing - names_in(spark)} == {"_nrt_dimension", "_nrt_weight"}
    for file in sorted((tmp_path / "orders").glob("*.csv")):
        stream.driver.absorb("orders", [source_file(file)])
    assert names_in(session) == standing and dict(session.conf.getAll) == settings
    assert rows_of(tmp_path / "curve") == LETTERS.curve
