"""From the moment when the watermark passes a step to that when its window can be read, for live orders.

python -m bench.latency [--rate 5000] [--speed 60] [--seconds 300] [--warm-up 60] [--out bench/out/latency]

Five files of orders per second; event time runs `speed` times as fast as the clock, so that a step of ten minutes takes
ten seconds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from bench.contests import emptied
from bench.orders import DAY_MS, MIDNIGHT, orders, write_csv
from bench.reports import CUMULATE, airflow_nrt, files

FILES_A_SECOND = 5
DELAY, STEP = timedelta(seconds=30), timedelta(minutes=10)
"""Of the measured report: the delay of its watermark, and its step."""
START = datetime(2024, 6, 18)
PATIENCE = 60
"""How many seconds to wait for a window."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=5000, help="orders a second")
    parser.add_argument("--speed", type=int, default=60, help="seconds of event time a second")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--warm-up", type=int, default=60, help="seconds at the beginning that do not count")
    parser.add_argument("--out", type=Path, default=Path("bench/out/latency"))
    options = parser.parse_args()
    place = emptied(options.out.absolute())
    passes = write_files(place / "coming", options.rate, options.speed, options.seconds)
    (place / "orders").mkdir()
    source = files(place / "orders", "csv", {"source.monitor-interval": "100 ms"})
    (place / "sales.sql").write_text(CUMULATE.script(source, place / "sales"))
    with open(place / "output", "wb") as output:
        driver = subprocess.Popen(airflow_nrt("run", place), stdout=output, stderr=output)
    try:
        arrived, seen = live(place, driver, set(passes))
    finally:
        driver.terminate()
        driver.wait()
    began = min(arrived.values())
    late = {end: seen[end] - arrived[file] for end, file in passes.items() if arrived[file] >= began + options.warm_up}
    waited = np.array(list(late.values()))
    p50, p99 = np.percentile(waited, [50, 99])
    print(
        f"{options.rate:,} orders a second, {len(waited)} windows: readable p50 {p50:.2f} s, p99 {p99:.2f} s, at most "
        f"{waited.max():.2f} s after the file that moved the watermark past them"
    )


def write_files(directory: Path, rate: int, speed: int, seconds: int) -> dict[datetime, str]:
    """The orders in files, one after the other; by the end of each step, the file whose rows complete it."""
    size = rate // FILES_A_SECOND
    table = orders(rate * DAY_MS // 1000 // speed).slice(0, rate * seconds)
    parts = [table.slice(at, size) for at in range(0, table.num_rows, size)]
    write_csv(directory, parts)
    passes: dict[datetime, str] = {}
    end = START + STEP
    for number, part in enumerate(parts):
        newest = START + timedelta(milliseconds=int((part["pay_time"].to_numpy() - MIDNIGHT).astype(np.int64).max()))
        while newest - DELAY >= end - timedelta(milliseconds=1):
            passes[end] = f"orders-{number:03d}.csv"
            end += STEP
    return passes


def live(
    place: Path, driver: subprocess.Popen[bytes], ends: set[datetime]
) -> tuple[dict[str, float], dict[datetime, float]]:
    """Lets the files arrive in time; returns when each arrived, and when each window could be read (monotonic
    seconds)."""
    names = sorted(os.listdir(place / "coming"), key=lambda name: int(name[7:-4]))
    arrived: dict[str, float] = {}
    seen: dict[datetime, float] = {}
    while not (place / "home" / "log").exists():
        _still_runs(place, driver)
        time.sleep(0.1)

    def come() -> None:
        began = time.monotonic()
        for number, name in enumerate(names):
            time.sleep(max(0.0, began + number / FILES_A_SECOND - time.monotonic()))
            # Before the rename, because the driver may look at once.
            arrived[name] = time.monotonic()
            os.rename(place / "coming" / name, place / "orders" / name)

    feeder = threading.Thread(target=come, daemon=True)
    feeder.start()
    patience = None
    while ends - set(seen):
        for end in _readable(place / "sales"):
            seen.setdefault(end, time.monotonic())
        _still_runs(place, driver)
        if not feeder.is_alive():
            patience = patience or time.monotonic() + PATIENCE
            if time.monotonic() > patience:
                raise SystemExit(f"{len(ends - set(seen))} windows could not be read {PATIENCE} s after the last file")
        time.sleep(0.01)
    feeder.join()
    return arrived, seen


def _readable(sink: Path) -> Iterator[datetime]:
    """The ends of the windows whose files are there: sales-20240618T000000-20240618T001000.parquet."""
    if sink.exists():
        for name in os.listdir(sink):
            if name.startswith("sales-"):
                yield datetime.strptime(name.partition(".")[0].split("-")[2], "%Y%m%dT%H%M%S")


def _still_runs(place: Path, driver: subprocess.Popen[bytes]) -> None:
    if driver.poll() is not None:
        raise SystemExit(f"the driver ended:\n{(place / 'output').read_text()[-3000:]}")


if __name__ == "__main__":
    main()
