"""Topics whose rows change, live: creations, updates and deletions go into windows while they come."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.driver_threads import Driver
from tests.engine.reports import rows_of
from tests.servers.kafka import Broker, Topics

pytestmark = [pytest.mark.slow, pytest.mark.server, pytest.mark.thorough, pytest.mark.timeout(600)]

CHANGES, PARTITIONS, IDS = 400, 2, 25
OPTIONS = {
    "upsert-kafka": "'connector' = 'upsert-kafka', 'key.format' = 'json', 'value.format' = 'json'",
    "debezium-json": "'connector' = 'kafka', 'format' = 'debezium-json', 'scan.startup.mode' = 'earliest-offset'",
}
Row = tuple[int, int, int]
"""Shop, price and the minute after ten o'clock."""


def report(place: Path, address: str, kind: str) -> Plan:
    script = f"""
        SET 'table.exec.state.unbounded' = 'allow';
        CREATE TABLE orders (id INT, shop INT, price INT, ts TIMESTAMP(3),
          WATERMARK FOR ts AS ts - INTERVAL '1' HOUR, PRIMARY KEY (id) NOT ENFORCED)
        WITH ({OPTIONS[kind]}, 'topic' = '{kind}', 'properties.bootstrap.servers' = '{address}');
        CREATE TABLE sums (shop INT, window_end TIMESTAMP(3), n BIGINT, gmv BIGINT,
          PRIMARY KEY (shop, window_end) NOT ENFORCED)
        WITH ('connector' = 'filesystem', 'path' = 'sums', 'format' = 'json');
        INSERT INTO sums SELECT shop, window_end, COUNT(*), CAST(SUM(price) AS BIGINT)
        FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR))
        GROUP BY shop, window_start, window_end;
    """
    return plan_script(script, {}, "sums", place)


def write(topics: Topics, kind: str, id: int, before: Row | None, after: Row | None) -> None:
    """A change of the row `id`, in the partition of its key."""
    value = _fields(id, after)
    if kind == "debezium-json":
        op = "d" if after is None else "c" if before is None else "u"
        value = {"before": _fields(id, before), "after": value, "op": op}
    text = None if value is None else json.dumps(value)
    topics.write(kind, [text], partition=id % PARTITIONS, key=json.dumps({"id": id}))


def _fields(id: int, row: Row | None) -> dict[str, object] | None:
    if row is None:
        return None
    shop, price, minute = row
    at = f"2024-06-18 {10 + minute // 60}:{minute % 60:02}:00"
    return {"id": id, "shop": shop, "price": price, "ts": at}


def windows(rows: list[Row]) -> list[tuple[object, ...]]:
    """The windows of a table as it stands."""
    counts: Counter[tuple[int, int]] = Counter()
    sums: Counter[tuple[int, int]] = Counter()
    for shop, price, minute in rows:
        for end in range(minute // 10 * 10 + 10, 61, 10):
            counts[shop, end] += 1
            sums[shop, end] += price
    return sorted((shop, end, n, sums[shop, end]) for (shop, end), n in counts.items())


@pytest.mark.parametrize("kind", OPTIONS)
def test_each_window_is_that_of_the_table_as_it_stands(
    spark: SparkSession, broker: Broker, topics: Topics, tmp_path: Path, kind: str
) -> None:
    """All changes are in time, so windows are those of the last version of each row."""
    topics.create(kind, PARTITIONS)
    plan, chance = report(tmp_path, broker.address, kind), random.Random(7)
    home = Home.create(tmp_path / "home", plan)
    table: dict[int, Row] = {}
    driver = Driver(spark, plan, home)
    done = Counter[str]()
    for n in range(CHANGES):
        id = chance.randrange(IDS)
        before = table.get(id)
        after = (chance.randint(1, 3), chance.randint(1, 100), chance.randrange(60))
        wanted = None if before is not None and chance.random() < 0.25 else after
        write(topics, kind, id, before, wanted)
        done["created" if before is None else "deleted" if wanted is None else "updated"] += 1
        table.pop(id, None)
        if wanted is not None:
            table[id] = wanted
        if n % 100 == 99:
            # The next changes come to another driver.
            driver.until(partial(_has_read, home, n + 1))
            driver.end()
            driver = Driver(spark, plan, home)
    for id in (IDS, IDS + 1):
        # Rows of another hour complete what is before them, in each partition.
        write(topics, kind, id, None, (9, 1, 150))
    expected = windows([*table.values()])
    driver.until(lambda: _sums(tmp_path) == expected)
    driver.end()
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and not verdict.problems and verdict.late_rows == 0
    commits = {entry.epoch for entry in home.log().audit()}
    print(f"{kind}: {dict(done)} in {len(commits)} drivers; {len(expected)} rows of windows, 0 differ")


def _has_read(home: Home, records: int) -> bool:
    return sum(one.rows for one in home.log().position().sources.values()) >= records


def _sums(place: Path) -> list[tuple[object, ...]]:
    rows = rows_of(place / "sums", "json")
    return sorted((shop, _minute(str(end)), n, gmv) for shop, end, n, gmv in rows if shop != 9)


def _minute(end: str) -> int:
    return (int(end[11:13]) - 10) * 60 + int(end[14:16])
