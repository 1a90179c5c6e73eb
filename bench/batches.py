"""Micro-batches of 1,000 orders in one process: seconds, and CPU seconds of the JVM, after the warm-up.

python -m bench.batches [--fire] [--compiled] [--batches 50] [--rows 5000000] [--out bench/out]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import time
from pathlib import Path

import psutil

from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.spark import tuning
from airflow_nrt.engine.spark.session import start_session
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.splits import SourceFile
from airflow_nrt.sql.load import load_report
from bench.orders import write
from bench.reports import CUMULATE, files

ROWS, WARM_UP = 1000, 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--fire", action="store_true", help="each batch is ten minutes on: one step of the window fires"
    )
    parser.add_argument("--compiled", action="store_true", help="compile all plans, as for batches of many rows")
    parser.add_argument("--batches", type=int, default=50)
    parser.add_argument("--rows", type=int, default=5_000_000, help="orders in the day that the rows are taken from")
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    options = parser.parse_args()
    day = write(options.out, options.rows)
    place = options.out.absolute() / "batches"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if options.compiled:
        tuning.MANY_ROWS = 1
    driver, jvm = started(place, CUMULATE.script(source(place), place / "sales"))
    lines = sorted(min(day.csv.glob("*.csv")).read_text().splitlines(), key=lambda line: line.rpartition(",")[2])
    took: list[float] = []
    used: list[float] = []
    for n in range(options.batches):
        rows = lines[ROWS * n : ROWS * (n + 1)]
        file = place / "orders" / f"{n}.csv"
        file.write_text("\n".join(at_step(rows, n) if options.fire else rows) + "\n")
        before, began = cpu(jvm), time.monotonic()
        driver.absorb("orders", [SourceFile(str(file), file.stat().st_size, file.stat().st_mtime_ns)])
        took.append(time.monotonic() - began)
        used.append(cpu(jvm) - before)
    what = "one step fires" if options.fire else "nothing fires"
    print(
        f"{what}, {'compiled' if options.compiled else 'interpreted'}: "
        f"median of {options.batches - WARM_UP} batches {statistics.median(took[WARM_UP:]):.3f} s, "
        f"{statistics.median(used[WARM_UP:]):.3f} s of CPU in the JVM"
    )


def source(place: Path) -> str:
    """The WITH clause of the orders, a live source. Those that a driver takes may lie anywhere."""
    (place / "orders").mkdir()
    return files(place / "orders", "csv", {"source.monitor-interval": "1 s"})


def started(place: Path, script: str) -> tuple[StreamDriver, psutil.Process]:
    """A driver on a new home, with its JVM."""
    (place / "sales.sql").write_text(script)
    plan = load_report(str(place / "sales.sql"), {})
    home = Home.create(str(place / "home"), plan)
    ensure_java()
    spark = start_session("batches", "local[2]", {})
    for insert in plan.inserts:
        sink_of(insert).check(spark, home, insert)
    spark.sparkContext.setLogLevel("OFF")
    jvm = next(child for child in psutil.Process().children(recursive=True) if child.name() == "java")
    return StreamDriver(spark, plan, home, Writer.begin(home.log(), Lease("bench", 0, "bench"))), jvm


def at_step(rows: list[str], step: int) -> list[str]:
    """The rows within the first minute of a step."""
    at = f"2024-06-18 {step // 6:02d}:{step % 6 * 10:02d}"
    return [f"{row.rpartition(',')[0]},{at}:{n % 60:02d}.000" for n, row in enumerate(rows)]


def cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


if __name__ == "__main__":
    main()
