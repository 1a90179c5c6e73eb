"""How long a step of CUMULATE takes to fire over the day: a day of orders, one batch for each ten minutes.

python -m bench.hours [--rows 5000000] [--out bench/out]
"""

from __future__ import annotations

import argparse
import statistics
from itertools import pairwise
from pathlib import Path

from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Tick
from bench.contests import emptied
from bench.orders import STEPS, write
from bench.processes import measured
from bench.reports import CUMULATE, airflow_nrt, files

AN_HOUR = STEPS // 24


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    options = parser.parse_args()
    day = write(options.out, options.rows)
    place = emptied(options.out.absolute() / "hours")
    source = files(day.steps, "csv", {"source.monitor-interval": "1 s", "source.max-batch-size": "1 b"})
    (place / "sales.sql").write_text(CUMULATE.script(source, place / "sales"))
    measured(airflow_nrt("run", place, "--available-now"), place / "log")
    took = firings(place)
    hours = [took[first : first + AN_HOUR] for first in range(0, len(took), AN_HOUR)]
    for number, hour in enumerate(hours):
        print(f"hour {number:2}: median {statistics.median(hour):.2f} s from a batch to its window")
    first, last = statistics.median(hours[0]), statistics.median(took[-AN_HOUR:])
    print(f"windows of the last hour took {last / first:.2f} times as long as those of the first (medians)")
    print(f"the slowest of the day took {max(took):.1f} s, number {took.index(max(took)) + 1} of {len(took)}")


def firings(place: Path) -> list[float]:
    """The seconds from the commit of a batch to that of the windows after it."""
    entries = list(Home.at(place / "home").log().audit())
    return [
        (later.time - earlier.time) / 1000
        for earlier, later in pairwise(entries)
        if isinstance(earlier.body, Commit) and isinstance(later.body, Tick) and later.published
    ]


if __name__ == "__main__":
    main()
