"""Kafka → CUMULATE with exact distinct → PostgreSQL, all on this machine.

python -m bench.topic.run catch-up [--records 5000000]
python -m bench.topic.run sustained [--rate 20000] [--minutes 10] [--speed 60]
python -m bench.topic.run latency [--rate 5000] [--minutes 5] [--speed 60]
"""

from __future__ import annotations

import argparse
import shutil
import time
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from bench.topic.place import Place, place

DELAY = timedelta(seconds=5)
STEP = timedelta(minutes=10)
MIDNIGHT = datetime(2024, 6, 18)
WARM_UP = 60


def catch_up(one: Place, records: int) -> None:
    """All records are there before the driver starts."""
    one.producer(1_000_000, records // 1_000_000, 86_400 / max(records // 1_000_000, 1) * 0.99).wait()
    began = time.monotonic()
    one.driver("--available-now").wait()
    seconds = time.monotonic() - began
    windows = one.database.query("SELECT COUNT(DISTINCT window_end), COUNT(*) FROM curve")[0]
    print(
        f"catch-up of {one.read():,} records: {seconds:.1f} s with the start of Spark, {one.read() / seconds:,.0f} a "
        f"second; {windows[0]} windows, {windows[1]} rows"
    )


def sustained(one: Place, rate: int, minutes: float, speed: float) -> None:
    """The lag each ten seconds: records that were sent, and are not read."""
    driver, producer = one.driver(), one.producer(rate, int(minutes * 60), speed)
    began, lags = time.monotonic(), []
    while producer.poll() is None:
        time.sleep(10)
        passed = time.monotonic() - began
        lags.append(min(passed * rate, rate * minutes * 60) - one.read())
        print(f"{passed:5.0f} s  lag {lags[-1]:10,.0f} records = {lags[-1] / rate:5.1f} s", flush=True)
    driver.terminate()
    driver.wait()
    half = lags[len(lags) // 2 :]
    least, most = min(half) / rate, max(half) / rate
    print(f"{rate:,} a second for {minutes} min: lag in the second half {least:.1f} to {most:.1f} s")


def latency(one: Place, rate: int, minutes: float, speed: float) -> None:
    """From the record that moves the watermark past a window to its rows in the table."""
    driver = one.driver()
    producer = one.producer(rate, int(minutes * 60), speed)
    began, seen = time.monotonic(), {}
    # The first order is sent when the producer's Java has begun.
    while not one.broker.has_records("orders"):
        time.sleep(0.01)
    first = time.monotonic()
    while producer.poll() is None:
        for (end,) in one.database.query("SELECT DISTINCT window_end FROM curve") if _has_table(one) else []:
            seen.setdefault(end, time.monotonic())
        time.sleep(0.05)
    driver.terminate()
    driver.wait()
    waited = []
    for end, at in seen.items():
        passes = first + (datetime.fromisoformat(end) + DELAY - MIDNIGHT) / timedelta(seconds=1) / speed
        if passes - began > WARM_UP:
            waited.append(at - passes)
    p50, p99 = np.percentile(waited, [50, 99])
    print(
        f"{rate:,} a second, {len(waited)} windows: readable p50 {p50:.2f} s, p99 {p99:.2f} s, at most "
        f"{max(waited):.2f} s after the record that moved the watermark past them"
    )


def _has_table(one: Place) -> bool:
    return bool(one.database.query("SELECT 1 FROM pg_tables WHERE tablename = 'curve'"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("catch-up", "sustained", "latency"))
    parser.add_argument("--records", type=int, default=5_000_000)
    parser.add_argument("--rate", type=int)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--speed", type=float, default=60, help="seconds of event time a second")
    parser.add_argument("--out", type=Path, default=Path("bench/out/topic"))
    given = parser.parse_args()
    path = given.out.absolute()
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    with place(path) as one:
        if given.what == "catch-up":
            catch_up(one, given.records)
        elif given.what == "sustained":
            sustained(one, given.rate or 20_000, given.minutes or 10, given.speed)
        else:
            latency(one, given.rate or 5_000, given.minutes or 5, given.speed)


if __name__ == "__main__":
    main()
