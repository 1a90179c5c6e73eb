"""The cost of a row, a distinct value and a firing: one process absorbs a day, half an hour at a time, after the
warm-up.

python -m bench.costs [--rows 5000000] [--out bench/out]

The figures are CPU seconds of the JVM; `airflow_nrt/describe/sizing.py` uses them.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from airflow_nrt.engine.driver.decide.decide import Decisions, Steps, StreamState
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.splits import SourceFile
from bench.batches import cpu, source, started
from bench.orders import write
from bench.reports import CUMULATE

WARM_UP = 8


@dataclass(frozen=True)
class Batch:
    """`held` counts the partials in the state, with their distinct values, when windows fired."""

    absorbed: float
    fired: float
    seconds: float
    held: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000, help="of the day")
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    options = parser.parse_args()
    day = write(options.out, options.rows)
    place = options.out.absolute() / "costs"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    batches = taken_in(place, sorted(day.csv.glob("*.csv")))[WARM_UP:]
    rows = options.rows / len(list(day.csv.glob("*.csv")))
    slope, base = np.polyfit([batch.held for batch in batches], [batch.fired for batch in batches], 1)
    print(f"absorbing: {statistics.median(batch.absorbed for batch in batches) / rows * 1e6:.2f} µs a row")
    size, held = stored(place)
    print(f"state: {size / held:.1f} bytes for each value that is held")
    print(f"firing three steps: {base:.2f} s, and {slope * 1e6:.3f} µs for each value that is held")
    for name, some in (("first", batches[:6]), ("last", batches[-6:])):
        median = statistics.median(batch.seconds for batch in some)
        print(f"firing, {name} three hours of those: {median:.2f} s at {some[-1].held:,} held")


def stored(place: Path) -> tuple[int, int]:
    """Bytes and number of the partials with distinct values at the end."""
    home = Home.at(place / "home")
    files = home.log().position().operators["w1"].rows
    size = sum(part.stat().st_size for file in files for part in (home.path / file.path).glob("*.parquet"))
    return size, sum(file.rows for file in files)


def taken_in(place: Path, paths: list[Path]) -> list[Batch]:
    """A batch for each file, and the firing after it."""
    driver, jvm = started(place, CUMULATE.script(source(place), place / "sales"))
    batches: list[Batch] = []
    settle = Decisions.settle

    def timed(decisions: Decisions, at: StreamState) -> Steps:
        held = sum(file.rows for file in driver.position.operators["w1"].rows)
        used, began = cpu(jvm), time.monotonic()
        at = yield from settle(decisions, at)
        batches.append(Batch(used - before, cpu(jvm) - used, time.monotonic() - began, held))
        return at

    Decisions.settle = timed  # type: ignore[method-assign]
    for path in paths:
        before = cpu(jvm)
        driver.absorb("orders", [SourceFile(str(path), path.stat().st_size, path.stat().st_mtime_ns)])
    return batches


if __name__ == "__main__":
    main()
