"""A stream of many micro-batches, a minute of event time each: files in the home, and seconds per batch, over time.

python -m bench.endurance [--batches 1500] [--rows 200] [--out bench/out/endurance]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit
from bench.contests import emptied
from bench.orders import MIDNIGHT, orders, write_csv
from bench.reports import CUMULATE, airflow_nrt, files

SETTLED, SOME = 200, 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=1500, help=f"more than {SETTLED + SOME}")
    parser.add_argument("--rows", type=int, default=200, help="orders in a batch")
    parser.add_argument("--out", type=Path, default=Path("bench/out/endurance"))
    options = parser.parse_args()
    place = emptied(options.out.absolute())
    write_minutes(place / "orders", options.batches, options.rows)
    source = files(place / "orders", "csv", {"source.monitor-interval": "1 s", "source.max-batch-size": "1 b"})
    (place / "sales.sql").write_text(CUMULATE.script(source, place / "sales"))
    counted = run(place)
    settled = [(batch, count) for batch, count in counted if batch >= SETTLED]
    slope = float(np.polyfit(*zip(*settled), 1)[0])
    most = max(count for _, count in settled)
    print(f"files in the home after batch {SETTLED}: at most {most}, {slope:+.4f} with each batch")
    took = seconds(place)
    for name, some in (("first", took[:SOME]), (f"{SETTLED}th", took[SETTLED:][:SOME]), ("last", took[-SOME:])):
        print(f"{name} {SOME} batches: median {statistics.median(some):.2f} s, mean {statistics.mean(some):.2f} s")


def write_minutes(directory: Path, batches: int, rows: int) -> None:
    """A file of orders for each minute."""
    table = orders(batches * rows)
    at = MIDNIGHT + (np.arange(batches * rows) * 60_000 // rows).astype("timedelta64[ms]")
    table = table.set_column(table.schema.get_field_index("pay_time"), "pay_time", [at])
    write_csv(directory, [table.slice(n * rows, rows) for n in range(batches)])


def run(place: Path) -> list[tuple[int, int]]:
    """Runs the stream to its end; returns, now and then, the number of committed batches and of files in the home."""
    counted = []
    with open(place / "output", "wb") as output:
        stream = subprocess.Popen(airflow_nrt("run", place, "--available-now"), stdout=output, stderr=output)
    while stream.poll() is None:
        time.sleep(2)
        if (place / "home" / "log").exists():
            batches = Home.at(place / "home").log().position().sources.get("orders")
            counted.append(
                (batches.files if batches else 0, sum(len(names) for _, _, names in os.walk(place / "home")))
            )
    assert stream.returncode == 0, (place / "output").read_text()[-3000:]
    return counted


def seconds(place: Path) -> list[float]:
    """The seconds from one commit to the next, with all firings in between."""
    times = [entry.time for entry in Home.at(place / "home").log().audit() if isinstance(entry.body, Commit)]
    return [(later - earlier) / 1000 for earlier, later in pairwise(times)]


if __name__ == "__main__":
    main()
