"""State of GROUP BY over the rows of the last hour: a million keys come in an hour and leave in the next.

python -m bench.leaving [--keys 1000000] [--out bench/out/leaving]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import duckdb

from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.spark.session import start_session
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.sql.load import plan_script
from bench.contests import emptied

BATCHES = 6
"""Each of ten minutes: this many batches bring the keys; eight more bring a thousandth of the rows, with other keys."""
SCRIPT = """
CREATE TABLE views (page BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '{place}/views', 'format' = 'parquet', 'source.monitor-interval' = '1 s',
    'scan.watermark.max-ahead' = '36500 d');
CREATE TABLE counts (page BIGINT, n BIGINT, PRIMARY KEY (page) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '{place}/counts', 'format' = 'debezium-json');
INSERT INTO counts SELECT page, COUNT(*) FROM views
WHERE ts BETWEEN now() - INTERVAL '1' HOUR AND now() GROUP BY page;
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, default=Path("bench/out/leaving"))
    options = parser.parse_args()
    place = emptied(options.out.absolute())
    (place / "views").mkdir()
    ensure_java()
    spark = start_session("leaving", "local[2]", {"spark.sql.shuffle.partitions": "2"})
    plan = plan_script(SCRIPT.format(place=place), {}, "leaving", place)
    home = Home.create(place / "home", plan)
    driver = StreamDriver(spark, plan, home, Writer.begin(home.log(), Lease("", 0, "")))
    for number in range(2 * BATCHES + 2):
        rows = options.keys // BATCHES if number < BATCHES else max(1, options.keys // BATCHES // 1000)
        file = written(place / "views" / f"{number:02d}.parquet", number, rows)
        started = time.monotonic()
        driver.absorb("views", [file])
        seconds = time.monotonic() - started
        held = {name: sum(one.rows for one in files) for name, files in driver.position.updating.items()}
        size = sum((home.path / path).stat().st_size for path in _state_files(driver, home))
        print(
            f"0:{number * 10:03d} {rows:>8,} rows in {seconds:5.1f} s; state {size / 2**20:7.1f} MiB, rows {held}",
            flush=True,
        )


def _state_files(driver: StreamDriver, home: Home) -> list[str]:
    return [
        str(file.relative_to(home.path))
        for path in driver.position.files()
        for file in (home.path / path).glob("*.parquet")
    ]


def written(path: Path, number: int, rows: int) -> SourceFile:
    """This many rows, each with a key of its own, in the ten minutes of a batch."""
    first = f"TIMESTAMP '2024-06-18 00:00:00' + INTERVAL ({number * 10}) MINUTE"
    duckdb.sql(
        f"COPY (SELECT {number * 10**9} + i AS page, {first} + INTERVAL (i * 599_000 // {rows}) MILLISECOND AS ts "
        f"FROM range({rows}) t(i)) TO '{path}' (FORMAT parquet)"
    )
    stat = path.stat()
    return SourceFile(str(path), stat.st_size, stat.st_mtime_ns)


if __name__ == "__main__":
    main()
