"""Batch leaves out the files of partitions that nobody asks for; a stream reads them, for their rows are time, too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.engine.query import run_bounded
from airflow_nrt.sql.planner import plan_query

TABLE = """CREATE TABLE orders (id BIGINT, shop STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
PARTITIONED BY (shop) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'json');"""
QUERY = """SELECT COUNT(*) AS n, MAX(id) AS latest, window_start
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES))
WHERE shop = 'a b' AND id > 0 GROUP BY window_start, window_end"""


def write(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def row(id: int, minute: int) -> str:
    return json.dumps({"id": id, "ts": f"2024-06-18 10:{minute:02}:00"})


def test_only_the_partitions_asked_for_are_read(spark, tmp_path: Path) -> None:
    write(tmp_path / "orders" / "shop=a%20b" / "1.json", row(0, 1), row(1, 2), row(2, 3), row(3, 12))
    write(tmp_path / "orders" / "shop=c" / "1.json", row(4, 1), "no JSON at all")
    plan = plan_query(TABLE.format(tmp_path / "orders"), QUERY, tmp_path)
    assert sorted(map(json.loads, run_bounded(spark, plan, "batch")), key=str) == [
        {"n": 1, "latest": 3, "window_start": "2024-06-18 10:10:00.000"},
        {"n": 2, "latest": 2, "window_start": "2024-06-18 10:00:00.000"},
    ]
    with pytest.raises(Exception, match="a malformed line in table orders"):
        list(run_bounded(spark, plan, "stream"))


def test_records_of_csv_in_partitions(spark, tmp_path: Path) -> None:
    """NULL is a partition, too, and partitions have types."""
    ddl = f"""CREATE TABLE t (id INT, s STRING, n INT) PARTITIONED BY (n)
    WITH ('connector' = 'filesystem', 'path' = '{tmp_path}', 'format' = 'csv');"""
    write(tmp_path / "n=7" / "1.csv", '1,"two', 'lines"')
    write(tmp_path / "n=__HIVE_DEFAULT_PARTITION__" / "1.csv", '2,"x', 'y"')
    write(tmp_path / "n=12" / "1.csv", "no row")

    def texts(condition: str) -> list[str]:
        lines = run_bounded(spark, plan_query(ddl, f"SELECT s FROM t WHERE {condition}", tmp_path), "batch")
        return sorted(json.loads(line)["s"] for line in lines)

    assert texts("n < 10") == ["two\nlines"]
    assert texts("n IS NULL") == ["x\ny"]
    assert texts("n < 10 OR n IS NULL") == ["two\nlines", "x\ny"]
