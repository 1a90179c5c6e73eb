"""Reports with a dimension table `shops`, which tests change between batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from airflow_nrt.model.plan import Plan
from tests.engine.reports import MINUTE, MORNING, clock, options, plan_of, write_lines

ORDERS = """
CREATE TABLE orders (
    id BIGINT, shop INT, price INT, ts TIMESTAMP(3), proctime AS PROCTIME(),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES
) WITH ('connector' = 'filesystem', 'path' = '${DATA}/orders', 'format' = 'csv', 'csv.null-literal' = 'NULL');"""
ENRICHED = """
CREATE TABLE enriched (id BIGINT, region STRING)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/enriched', 'format' = 'parquet');
INSERT INTO enriched SELECT o.id, s.region
FROM orders AS o LEFT JOIN shops FOR SYSTEM_TIME AS OF o.proctime AS s ON o.shop = s.id;"""
REGIONS = """
CREATE TABLE regions (region STRING, window_end TIMESTAMP(3), n BIGINT, price INT)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/regions', 'format' = 'parquet');
INSERT INTO regions SELECT region, window_end, COUNT(*), SUM(price)
FROM TABLE(TUMBLE(TABLE placed, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY region, window_start, window_end;"""
PLACED = """
CREATE VIEW placed AS SELECT o.ts, o.price, s.region
FROM orders AS o JOIN shops FOR SYSTEM_TIME AS OF o.proctime AS s ON o.shop = s.id;"""


def shops_table(key: str = "", **given: str) -> str:
    table = {"connector": "filesystem", "path": "${DATA}/shops", "format": "csv", "csv__null_literal": "NULL"}
    return f"CREATE TABLE shops (id INT, region STRING{key}) WITH ({options(**{**table, **given})});"


def report(place: Path, *inserts: str, shops: str = "") -> Plan:
    return plan_of(place, ORDERS, shops or shops_table(), *inserts)


def write_shops(place: Path, shops: Mapping[int | str, str] | Sequence[tuple[int, str]], at: int = 1) -> None:
    """Replaces the dimension. `at` (seconds) makes its modification time another one."""
    rows = shops.items() if isinstance(shops, Mapping) else shops
    write_lines(place / "shops" / "shops.csv", (f"{shop},{region}" for shop, region in rows), at * 10**9)


def write_orders(place: Path, name: str, *rows: tuple[int, int | str, int, int]) -> Path:
    """Rows of id, shop, price and the minute of the morning."""
    lines = (f"{n},{shop},{price},{clock(MORNING + minute * MINUTE)}" for n, shop, price, minute in rows)
    return write_lines(place / "orders" / f"{name}.csv", lines)
