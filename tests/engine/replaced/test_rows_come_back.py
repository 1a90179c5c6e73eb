"""What is kept of a file is what any reader has read there, whatever its format and its types."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.undo import AskedUndo, undo
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.authors import Author
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import HOUR, MINUTE, MORNING, Stream, write_lines

ORDERS = """
CREATE TABLE orders (shop STRING, price DECIMAL(30, 10), seen TIMESTAMP(6), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json', 'source.monitor-interval' = '100 ms',
  'attribute-domain.shop' = 'constant');
"""
COLUMNS = """shop STRING, window_end TIMESTAMP(3), n BIGINT, total DECIMAL(38, 10), seen TIMESTAMP(6), bits BYTES,
  mean DOUBLE, list ARRAY<BIGINT>, pair ROW<a BIGINT, b STRING>, at_time TIME(3), nothing INT"""
QUERY = """SELECT shop, window_end, COUNT(*), CAST(SUM(price) AS DECIMAL(38, 10)), MAX(seen), CAST(shop AS BYTES),
  CAST(SUM(price) AS DOUBLE) / 3, ARRAY[COUNT(*), 7],
  CAST(ROW(COUNT(*), shop) AS ROW<a BIGINT, b STRING>), CAST(MAX(ts) AS TIME(3)), CAST(NULL AS INT)
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)) GROUP BY shop, window_start, window_end"""
NESTED = ("list ARRAY<BIGINT>, pair ROW<a BIGINT, b STRING>, ", "CAST(ROW(COUNT(*), shop) AS ROW<a BIGINT, b STRING>),")
END = MORNING + 10 * HOUR + 10 * MINUTE


def order(shop: str, price: str, at: str) -> str:
    return json.dumps({"shop": shop, "price": price, "seen": f"2024-06-18 {at}:01.234567", "ts": f"2024-06-18 {at}:00"})


@pytest.mark.parametrize("kind", ["parquet", "json", "csv", "json in partitions"])
def test_rows_come_back_as_they_were(spark, tmp_path: Path, kind: str) -> None:
    columns, query = COLUMNS, QUERY
    if kind == "csv":
        columns, query = columns.replace(NESTED[0], ""), query.replace(NESTED[1], "").replace("ARRAY[COUNT(*), 7],", "")
    by = ""
    if "partitions" in kind:
        by, columns = " PARTITIONED BY (day)", f"{columns}, day STRING"
        query = query.replace("\nFROM", ", DATE_FORMAT(window_end, 'yyyy-MM-dd')\nFROM")
    written = f"WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = '{kind.split()[0]}')"
    sink = f"CREATE TABLE curve ({columns}){by} {written}; INSERT INTO curve {query};"
    plan = plan_script(f"{ORDERS}{sink}", {}, "orders_curve", tmp_path)
    stream = Stream(spark, plan, tmp_path / "home")
    first = [order('a, "b"', "0.1000000001", "10:01"), order("ä\n", "12345678901234567890.5", "10:02")]
    stream.absorb(write_lines(tmp_path / "orders" / "0.json", first), source="orders")
    stream.absorb(write_lines(tmp_path / "orders" / "1.json", [order("a", "1", "10:22")]), source="orders")
    before = contents(tmp_path / "curve")
    stream.absorb(write_lines(tmp_path / "orders" / "2.json", [order("ä\n", "7", "10:03")]), source="orders")
    backfill(spark, plan, stream.home, Interval(END - 10 * MINUTE, END), check=False)
    assert contents(tmp_path / "curve") != before
    undo(spark, plan, stream.home, AskedUndo("curve", END, Author("anna", "undo")))
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and (verdict.pinned, verdict.windows) == (1, 0)
    if kind != "parquet":
        # Files of Parquet name the version of their writer, and the order of rows in them is nobody's.
        assert contents(tmp_path / "curve") == before


def contents(place: Path) -> dict[str, list[str]]:
    """By name, the sorted lines of files."""
    files = (file for file in sorted(place.rglob("curve-*")) if file.is_file())
    return {str(file.relative_to(place)): sorted(file.read_text(errors="replace").splitlines()) for file in files}
