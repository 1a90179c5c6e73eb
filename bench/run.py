"""Catch-up and backfill of a day of orders, whole processes.

python -m bench.run [--rows 5000000] [--out bench/out]
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bench.orders import write

COLUMNS = "order_id BIGINT, item_id INT, seller_id INT, user_id INT, price DECIMAL(10, 2), pay_time TIMESTAMP(3)"
REPORT = """
CREATE TABLE orders ({columns}, WATERMARK FOR pay_time AS pay_time - INTERVAL '30' SECOND) {source};
CREATE TABLE sales (item_id INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), sales DECIMAL(38, 2),
  orders BIGINT, buyers BIGINT) WITH ('connector' = 'filesystem', 'path' = '{sink}', 'format' = 'parquet');
INSERT INTO sales SELECT item_id, window_start, window_end, SUM(price), COUNT(*), COUNT(DISTINCT user_id)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(pay_time), INTERVAL '10' MINUTES, INTERVAL '1' DAY))
GROUP BY item_id, window_start, window_end;
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    options = parser.parse_args()
    out = options.out.absolute()
    write(out / str(options.rows), options.rows)
    data = out / str(options.rows)
    live = (
        f"WITH ('connector' = 'filesystem', 'path' = '{data}/csv', 'format' = 'csv', 'source.monitor-interval' = '1 s')"
    )
    archive = (
        f"PARTITIONED BY (ds, hh) WITH ('connector' = 'filesystem', 'path' = '{data}/parquet', 'format' = 'parquet', "
        "'partition.time-extractor.timestamp-pattern' = '$ds $hh:00:00')"
    )
    measure("catch-up", out, COLUMNS, live, options.rows, "run", "--available-now")
    day = ("--start", "2024-06-18 00:00", "--end", "2024-06-19 00:00")
    measure("backfill", out, f"{COLUMNS}, ds STRING, hh STRING", archive, options.rows, "backfill", *day)


def measure(name: str, out: Path, columns: str, source: str, rows: int, command: str, *arguments: str) -> None:
    """Runs one command on a fresh home and prints its seconds, from the start of the process to its end."""
    place = out / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    report = place / "sales.sql"
    report.write_text(REPORT.format(columns=columns, source=source, sink=place / "sales"))
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "airflow_nrt.cli.main", command, str(report), "--home", str(place / "home"), *arguments],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    seconds = time.monotonic() - started
    windows = len(list((place / "sales").glob("*.parquet")))
    print(
        f"{name:10} {rows} rows, {windows} windows: {seconds:6.1f} s, {rows / seconds / 1000:6.0f} k rows/s", flush=True
    )


if __name__ == "__main__":
    main()
