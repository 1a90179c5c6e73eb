"""Kafka → CUMULATE with exact distinct → PostgreSQL, all on this machine.

python -m bench.topic.run catch-up [--records 5000000]
python -m bench.topic.run archive [--records 5000000] [--runs 3]
python -m bench.topic.run rule --rule PlainTexts [--records 5000000] [--runs 3]
python -m bench.topic.run flink --python PYTHON --jars DIR [--records 5000000] [--runs 3]
python -m bench.topic.run sustained [--rate 20000] [--minutes 10] [--speed 60]
python -m bench.topic.run latency [--rate 5000] [--minutes 5] [--speed 60]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from airflow_nrt.basics.java_sources import SPEED_RULES, SpeedRule
from bench.processes import measured
from bench.topic.place import ARCHIVED, BOUNDED, Place, place

DELAY = timedelta(seconds=5)
STEP = timedelta(minutes=10)
MIDNIGHT = datetime(2024, 6, 18)
WARM_UP = 60


def fill(one: Place, records: int) -> None:
    """A day of records, all of them there before anything reads."""
    one.producer(1_000_000, records // 1_000_000, 86_400 / max(records // 1_000_000, 1) * 0.99).wait()


def catch_up(one: Place, records: int) -> None:
    """All records are there before the driver starts."""
    fill(one, records)
    began = time.monotonic()
    one.driver("--available-now").wait()
    seconds = time.monotonic() - began
    windows = one.database.query("SELECT COUNT(DISTINCT window_end), COUNT(*) FROM curve")[0]
    print(
        f"catch-up of {one.read():,} records: {seconds:.1f} s with the start of Spark, {one.read() / seconds:,.0f} a "
        f"second; {windows[0]} windows, {windows[1]} rows"
    )


def seconds_of(command: Callable[[], subprocess.Popen[bytes]]) -> float:
    began = time.monotonic()
    assert command().wait() == 0
    return time.monotonic() - began


def archive(one: Place, records: int, runs: int) -> None:
    """The same catch-up with an archive and without one, in turn."""
    fill(one, records)
    ratios = []
    for _ in range(runs):
        took = []
        for more in ("", ARCHIVED):
            one.write(more)
            took.append(seconds_of(lambda: one.driver("--available-now")))
        ratios.append(took[0] / took[1])
        print(f"{took[0]:.1f} s without, {took[1]:.1f} s with an archive: {ratios[-1]:.2f}", flush=True)
    print(f"throughput with an archive: {statistics.median(ratios):.2f} of that without (median of {runs} pairs)")


def rule(one: Place, records: int, runs: int, measured_rule: SpeedRule) -> None:
    """The same catch-up with a rule for speed and without it, in turn: CPU seconds of the driver, and seconds."""
    fill(one, records)
    with_it, without = [], []
    for _ in range(runs):
        for side, more in ((with_it, ()), (without, ("--set", f"{measured_rule.switch}=false"))):
            one.write()
            side.append(measured(one.command("--available-now", *more), one.path / "driver.log"))
        on, off = with_it[-1], without[-1]
        print(
            f"CPU {on.cpu:.1f} s with {measured_rule.name}, {off.cpu:.1f} s without: {off.cpu / on.cpu:.3f}; "
            f"{on.seconds:.1f} s and {off.seconds:.1f} s",
            flush=True,
        )
    on_cpu, off_cpu = (statistics.median(one.cpu for one in side) for side in (with_it, without))
    print(f"CPU {on_cpu:.1f} s with it, {off_cpu:.1f} s without it (medians of {runs}): {off_cpu / on_cpu:.3f} times")


def flink(one: Place, records: int, runs: int, python: Path, jars: Path) -> None:
    """The same topic and report here and in Flink, in turn. Both end with the topic, and the tables must be equal."""
    fill(one, records)
    line = [str(python), str(Path(__file__).parents[1] / "peers" / "flink_topic.py"), "--jars", str(jars)]
    line += ["--broker", one.broker.address, "--database", one.database.url]
    columns = "item INT, window_end TIMESTAMP(3), buyers BIGINT, gmv NUMERIC(38, 2), PRIMARY KEY (item, window_end)"
    ratios = []
    for _ in range(runs):
        one.write(BOUNDED)
        one.database.query(f"DROP TABLE IF EXISTS curve_of_flink; CREATE TABLE curve_of_flink ({columns})")
        ours = seconds_of(one.driver)
        with open(one.path / "flink.log", "ab") as log:
            theirs = seconds_of(lambda: subprocess.Popen(line, stdout=log, stderr=log))
        names = "item, window_end, buyers, gmv"
        differ = one.database.query(
            f"SELECT COUNT(*) FROM ((SELECT {names} FROM curve EXCEPT SELECT {names} FROM curve_of_flink) UNION ALL "
            f"(SELECT {names} FROM curve_of_flink EXCEPT SELECT {names} FROM curve)) AS rows_of_one"
        )
        ratios.append(theirs / ours)
        print(f"{ours:.1f} s here, {theirs:.1f} s in Flink: {ratios[-1]:.2f}; {differ[0][0]} rows differ", flush=True)
    print(f"{statistics.median(ratios):.2f} times as fast as Flink (median of {runs} pairs)")


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
    parser.add_argument("what", choices=("catch-up", "archive", "rule", "flink", "sustained", "latency"))
    parser.add_argument("--rule", choices=[one.name for one in SPEED_RULES])
    parser.add_argument("--records", type=int, default=5_000_000)
    parser.add_argument("--rate", type=int)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--speed", type=float, default=60, help="seconds of event time a second")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--python", type=Path, help="a Python that has apache-flink 2.2")
    parser.add_argument("--jars", type=Path, help="Flink's connectors for Kafka and JDBC, and PostgreSQL's driver")
    parser.add_argument("--out", type=Path, default=Path("bench/out/topic"))
    given = parser.parse_args()
    path = given.out.absolute()
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    with place(path) as one:
        if given.what == "catch-up":
            catch_up(one, given.records)
        elif given.what == "archive":
            archive(one, given.records, given.runs)
        elif given.what == "rule":
            if given.rule is None:
                parser.error("rule needs --rule")
            rule(one, given.records, given.runs, next(each for each in SPEED_RULES if each.name == given.rule))
        elif given.what == "flink":
            if given.python is None or given.jars is None:
                parser.error("flink needs --python and --jars")
            flink(one, given.records, given.runs, given.python, given.jars)
        elif given.what == "sustained":
            sustained(one, given.rate or 20_000, given.minutes or 10, given.speed)
        else:
            latency(one, given.rate or 5_000, given.minutes or 5, given.speed)


if __name__ == "__main__":
    main()
