"""A report over a topic, and drivers that read what has come."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.engine.sources import arrived, source_of
from airflow_nrt.engine.sources.malformed import FAULT, WHY
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.log.fold.checkpoints import read_by
from airflow_nrt.home.log.splits import Split
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import Stream, rows_of
from tests.servers.kafka import Broker

COLUMNS = "shop INT, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE"

COUNTS = """SELECT window_end, COUNT(*), SUM(price)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end"""


def script(
    address: str, topic: str, columns: str = COLUMNS, query: str = "", path: str = "curve", **options: str
) -> str:
    """Counts rows in ten minutes, or `query`. Options are written with `_` for `.` and `__` for `-`."""
    given = {"scan.startup.mode": "earliest-offset", "format": "json"}
    given |= {name.replace("__", "-").replace("_", "."): text for name, text in options.items()}
    written = "".join(f", '{name}' = '{text}'" for name, text in given.items())
    return f"""
        CREATE TABLE orders ({columns}) WITH ('connector' = 'kafka', 'topic' = '{topic}',
          'properties.bootstrap.servers' = '{address}'{written});
        CREATE TABLE curve (window_end TIMESTAMP(3), n BIGINT, total BIGINT)
        WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'json');
        INSERT INTO curve {query or COUNTS};
    """


def report(place: Path, address: str, topic: str, columns: str = COLUMNS, query: str = "", **options: str) -> Plan:
    """The plan of `script`, whose results are below `place`."""
    return plan_script(script(address, topic, columns, query, **options), {}, "orders_curve", place)


def order(shop: int, price: int, at: str) -> str:
    return json.dumps({"shop": shop, "price": price, "ts": f"2024-06-18 {at}"})


def read_as(spark: SparkSession, place: Path, broker: Broker, topic: str, columns: str, options: str) -> list[Any]:
    """The records of a topic as the rows of a table, each with what is malformed in it, in their order."""
    script = f"""
        CREATE TABLE t ({columns}) WITH ('connector' = 'kafka', 'topic' = '{topic}', 'scan.startup.mode' =
          'earliest-offset', 'properties.bootstrap.servers' = '{broker.address}', {options});
        CREATE TABLE nowhere WITH ('connector' = 'blackhole') LIKE t (EXCLUDING OPTIONS);
        INSERT INTO nowhere SELECT * FROM t;
    """
    (source,) = plan_script(script, {}, "formats", place).sources
    rows = source_of(source.table).read(spark, source, ReadRequest(arrived(spark, source.table), ONE))
    return rows.orderBy("_nrt_block", "_nrt_index").select(*source.physical, FAULT, WHY).collect()


class TopicStream(Stream):
    """A stream that absorbs what has come into its topic."""

    def __init__(self, spark: SparkSession, plan: Plan, home: Path, clock: Callable[[], int] = now_ms) -> None:
        super().__init__(spark, plan, home, clock)
        (source,) = plan.sources
        read = read_by(self.home.log()).of(source.name)
        self.enumerator = source_of(source.table).enumerator(spark, source.table, read)

    def absorb_new(self) -> list[Split]:
        """Absorbs all that has come, in one batch, after one that says where reading begins."""
        found = self.enumerator.poll()
        if found:
            self.driver.absorb("orders", self.enumerator.in_order(found))
        return found + self.absorb_new() if found and all(one.is_empty for one in found) else found

    def curve(self) -> list[tuple[str, int, int]]:
        path = Path(self.plan.inserts[0].sink.path)
        return [(str(end)[11:16], n, total) for end, n, total in rows_of(path, "json")]
