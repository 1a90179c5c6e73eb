"""A query without a window over millions of keys: seconds of a micro-batch that changes a thousand of them.

python -m bench.continuous [--keys 5000000] [--changed 1000] [--batches 20] [--out bench/out/continuous]
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.home.log.splits import SourceFile
from bench.batches import cpu, source, started
from bench.contests import emptied
from bench.orders import MIDNIGHT, write_csv
from bench.reports import COLUMNS

PART = 1_000_000
REPORT = """
SET 'table.exec.state.ttl' = '7 d';
CREATE TABLE orders ({columns}) {source};
CREATE TABLE buyers (user_id INT, orders BIGINT, sales DECIMAL(38, 2), PRIMARY KEY (user_id) NOT ENFORCED)
  WITH ('connector' = 'filesystem', 'path' = '{sink}', 'format' = 'debezium-json');
INSERT INTO buyers SELECT user_id, COUNT(*), SUM(price) FROM orders GROUP BY user_id;
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, default=5_000_000)
    parser.add_argument("--changed", type=int, default=1000)
    parser.add_argument("--batches", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("bench/out/continuous"))
    options = parser.parse_args()
    place = emptied(options.out.absolute())
    rng = np.random.default_rng(5)
    parts = [np.arange(first, min(first + PART, options.keys)) for first in range(0, options.keys, PART)]
    changed = [rng.integers(0, options.keys, options.changed) for _ in range(options.batches)]
    write_csv(place / "taken", [orders_of(users) for users in [*parts, *changed]])
    driver, jvm = started(place, REPORT.format(columns=COLUMNS, source=source(place), sink=place / "buyers"))
    took, used = [], []
    for path in sorted((place / "taken").iterdir()):
        before, began = cpu(jvm), time.monotonic()
        take(driver, path)
        took.append(time.monotonic() - began)
        used.append(cpu(jvm) - before)
    warm = slice(len(parts) + options.batches // 4, None)
    state = sum(file.stat().st_size for file in (place / "home" / "state").rglob("*") if file.is_file())
    print(
        f"{options.changed:,} of {options.keys:,} keys change: median {statistics.median(took[warm]):.2f} s, "
        f"most {max(took[warm]):.2f} s, {statistics.median(used[warm]):.2f} s of CPU; state {state / 2**20:.0f} MiB"
    )


def take(driver: StreamDriver, path: Path) -> None:
    driver.absorb("orders", [SourceFile(str(path), path.stat().st_size, path.stat().st_mtime_ns)])


def orders_of(users: np.ndarray) -> pa.Table:
    """An order of each user."""
    count = len(users)
    price = pa.array(np.full(count, 100)).cast(pa.decimal128(19, 0)).cast(pa.decimal128(10, 0))
    paid = pa.array(np.full(count, MIDNIGHT))
    ids = pa.array(np.arange(count))
    return pa.table({"order_id": ids, "item_id": ids, "seller_id": ids, "user_id": users, "price": price, "paid": paid})


if __name__ == "__main__":
    main()
