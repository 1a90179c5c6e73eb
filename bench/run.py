"""Catch-up and backfill of a day of orders, whole processes; and micro-batches of a live driver with nothing to fire.

python -m bench.run [--rows 5000000] [--out bench/out]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from airflow_nrt.report.home import Home
from bench.orders import write

MICRO_BATCHES, WARM_UP = 16, 4
"""The first ones compile."""

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
    micro_batches(out, data)
    day = ("--start", "2024-06-18 00:00", "--end", "2024-06-19 00:00")
    measure("backfill", out, f"{COLUMNS}, ds STRING, hh STRING", archive, options.rows, "backfill", *day)


def micro_batches(out: Path, data: Path) -> None:
    """Files of 1,000 orders of the day's first minutes, one by one: from the rename to the commit in the log."""
    place = out / "live"
    shutil.rmtree(place, ignore_errors=True)
    (place / "orders").mkdir(parents=True)
    lines = sorted(first_file(data).splitlines(), key=lambda line: line.rpartition(",")[2])
    options = f"'connector' = 'filesystem', 'path' = '{place}/orders', 'format' = 'csv'"
    source = f"WITH ({options}, 'source.monitor-interval' = '50 ms')"
    (place / "sales.sql").write_text(REPORT.format(columns=COLUMNS, source=source, sink=place / "sales"))
    home = Home.at(place / "home")
    driver = subprocess.Popen(command("run", place), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        took = []
        for n in range(MICRO_BATCHES):
            hidden = place / "orders" / f".{n}.csv"
            hidden.write_text("\n".join(lines[1000 * n : 1000 * (n + 1)]) + "\n")
            arrived = time.time()
            hidden.rename(place / "orders" / f"{n}.csv")
            took.append(committed(home, n + 1, driver) / 1000 - arrived)
    finally:
        driver.kill()
        driver.wait()
    warm = sorted(took[WARM_UP:])
    print(
        f"micro-batch of 1000 rows, nothing fires: median {statistics.median(warm):.2f} s, "
        f"longest of {len(warm)} {warm[-1]:.2f} s",
        flush=True,
    )


def first_file(data: Path) -> str:
    return min((data / "csv").glob("*.csv")).read_text()


def committed(home: Home, batches: int, driver: subprocess.Popen[bytes]) -> int:
    """Waits until so many batches are in the log; gives when the last was put there (ms)."""
    while True:
        if driver.poll() is not None:
            raise RuntimeError(f"the driver ended with {driver.returncode}")
        commits = (
            [entry for entry in home.log().entries() if entry.kind == "commit"] if home.log_directory.is_dir() else []
        )
        if len(commits) >= batches:
            return commits[batches - 1].time
        time.sleep(0.02)


def command(name: str, place: Path, *arguments: str) -> list[str]:
    report, home = str(place / "sales.sql"), str(place / "home")
    return [sys.executable, "-m", "airflow_nrt.cli.main", name, report, "--home", home, *arguments]


def measure(name: str, out: Path, columns: str, source: str, rows: int, what: str, *arguments: str) -> None:
    """Runs one command on a fresh home and prints its seconds, from the start of the process to its end."""
    place = out / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "sales.sql").write_text(REPORT.format(columns=columns, source=source, sink=place / "sales"))
    started = time.monotonic()
    subprocess.run(command(what, place, *arguments), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - started
    windows = len(list((place / "sales").glob("*.parquet")))
    print(
        f"{name:10} {rows} rows, {windows} windows: {seconds:6.1f} s, {rows / seconds / 1000:6.0f} k rows/s", flush=True
    )


if __name__ == "__main__":
    main()
