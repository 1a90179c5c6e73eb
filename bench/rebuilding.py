"""A changed report is computed beside a stream of 1,000 rows a second.

How long that takes, compared with a backfill of the same days, and how far the stream falls behind.

python -m bench.rebuilding [--days 30] [--rows 100000] [--out bench/out/rebuilding]
"""

from __future__ import annotations

import argparse
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit
from bench.contests import emptied
from bench.orders import DAY_MS, MIDNIGHT, orders
from bench.reports import Report, airflow_nrt, files

SHOPS, RATE = 100, 1000
LATER = np.timedelta64(DAY_MS, "ms")
CUMULATE = Report("by shop", "CUMULATE(TABLE orders, DESCRIPTOR(pay_time), INTERVAL '10' MINUTES, INTERVAL '1' DAY)")
MASTER = ("--master", "local[2]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--rows", type=int, default=100_000, help="orders of a day")
    parser.add_argument("--out", type=Path, default=Path("bench/out/rebuilding"))
    options = parser.parse_args()
    place = emptied(options.out.absolute())
    table = orders(options.rows, items_of=SHOPS)
    for day in range(options.days):
        of_hour = -(-options.rows // 24)
        for hour in range(24):
            write(place, f"{day:03}-{hour:02}", shifted(table.slice(hour * of_hour, of_hour), day * LATER))
    source = files(place / "orders", "csv", {"source.monitor-interval": "1 s"})
    (place / "sales.sql").write_text(CUMULATE.script(source, place / "sales"))
    finish(place, "the past", "run", "--available-now", *MASTER)
    with producing(place, options.days):
        with streaming(place):
            time.sleep(60)
            alone = now()
            end = int((MIDNIGHT + options.days * LATER).astype("int64"))
            days = "--start", format_instant(int(MIDNIGHT.astype("int64"))), "--end", format_instant(end)
            backfilled = finish(place, "backfill", "backfill", *days, *MASTER)
            done = now()
        print(f"lag of the stream: alone {worst(place, 0, alone)}; beside the backfill {worst(place, alone, done)}")
        script = (place / "sales.sql").read_text().replace("COUNT(*)", "COUNT(order_id)")
        (place / "sales.sql").write_text(script)
        with streaming(place, "--on-change", "rebuild"):
            began = now()
            while Home.at(place / "home").generation == 1 or Home.at(place / "home").staged.names():
                time.sleep(0.5)
            took = (now() - began) / 1000
    print(f"lag of the stream: beside the rebuild {worst(place, began, now())}")
    print(f"rebuild / backfill: {took:.1f} s / {backfilled:.1f} s = {took / backfilled:.2f}")


def now() -> int:
    return int(time.time() * 1000)


def shifted(table: pa.Table, by: np.timedelta64) -> pa.Table:
    at = table["pay_time"].to_numpy() + by
    return table.set_column(table.schema.get_field_index("pay_time"), "pay_time", [at])


def write(place: Path, name: str, table: pa.Table) -> None:
    (place / "orders").mkdir(exist_ok=True)
    aside = place / "orders" / f".{name}.csv"
    csv.write_csv(table, aside, csv.WriteOptions(include_header=False))
    aside.rename(place / "orders" / f"{name}.csv")


def finish(place: Path, what: str, name: str, *arguments: str) -> float:
    """Runs a command to its end; gives its seconds."""
    began = time.monotonic()
    with open(place / "output", "ab") as output:
        subprocess.run(airflow_nrt(name, place, *arguments), stdout=output, stderr=output, check=True)
    took = time.monotonic() - began
    print(f"{what}: {took:.1f} s", flush=True)
    return took


@contextmanager
def streaming(place: Path, *arguments: str) -> Iterator[None]:
    with open(place / "output", "ab") as output:
        stream = subprocess.Popen(airflow_nrt("run", place, *MASTER, *arguments), stdout=output, stderr=output)
    try:
        yield
    finally:
        stream.terminate()
        stream.wait()


@contextmanager
def producing(place: Path, days: int) -> Iterator[None]:
    """Writes a file of orders each second, of the day after the past, a second of it."""
    over, table = threading.Event(), orders(RATE, items_of=SHOPS)

    def produce() -> None:
        second = 0
        while not over.wait(1.0):
            at = np.full(RATE, MIDNIGHT + days * LATER + np.timedelta64(second, "s"))
            index = table.schema.get_field_index("pay_time")
            write(place, f"live-{second:06}", table.set_column(index, "pay_time", [at]))
            second += 1

    thread = threading.Thread(target=produce)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def worst(place: Path, since: int, until: int) -> str:
    """How long the newest file of a batch had waited when the batch was committed, of the generations that counted."""
    lags = []
    for generation in (1, 2):
        home = Home(place / "home", generation=generation)
        for entry in home.log().audit() if home.log_directory.exists() else ():
            body = entry.body
            live = [one for one in body.files if "live-" in one.path] if isinstance(body, Commit) else []
            # The next generation has read files of both before it counted.
            if live and since <= entry.time <= until and len(live) < 60:
                lags.append(entry.time / 1000 - min(one.modified for one in live) / 1e9)
    return f"median {np.median(lags):.1f} s, most {max(lags):.1f} s" if lags else "no batches"


if __name__ == "__main__":
    main()
