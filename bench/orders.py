"""One day of orders, the same for the same seed: 48 time-consecutive CSV files, and parquet partitioned by ds, hh."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute
from pyarrow import csv, parquet

DAY_MS = 86_400_000
MIDNIGHT = np.datetime64("2024-06-18", "ms")
FILES, ITEMS, SELLERS, USERS = 48, 10_000, 2_000, 1_000_000
DISORDER_MS = 30_000


def orders(rows: int, seed: int = 145) -> pa.Table:
    """Orders in arrival order: items by Zipf's law, users evenly, event times up to 30 s out of order."""
    rng = np.random.default_rng(seed)
    chances = np.cumsum(1.0 / np.arange(1, ITEMS + 1) ** 1.1)
    items = rng.permutation(ITEMS)[np.searchsorted(chances, rng.random(rows) * chances[-1])] + 1
    arrived = np.sort(rng.integers(0, DAY_MS, rows))
    paid = np.maximum(arrived - rng.integers(0, DISORDER_MS, rows), 0)
    cents = np.clip(rng.lognormal(8, 1, rows), 1, 9_999_999).astype(np.int64)
    price = pa.array(cents).cast(pa.decimal128(19, 0)).cast(pa.decimal128(21, 2))
    hundred = pa.scalar(100, pa.decimal128(3, 0))
    return pa.table(
        {
            "order_id": pa.array(np.arange(rows)),
            "item_id": pa.array(items.astype(np.int32)),
            "seller_id": pa.array((items % SELLERS).astype(np.int32)),
            "user_id": pa.array(rng.integers(1, USERS + 1, rows).astype(np.int32)),
            "price": pa.compute.divide(price, hundred).cast(pa.decimal128(10, 2)),
            "pay_time": pa.array(MIDNIGHT + paid.astype("timedelta64[ms]")),
        }
    )


def write(out: Path, rows: int) -> None:
    """Writes `out/csv` and `out/parquet`, unless they are there."""
    if (out / "csv").exists():
        return
    table = orders(rows)
    (out / "csv").mkdir(parents=True)
    size = -(-rows // FILES)
    options = csv.WriteOptions(include_header=False, quoting_style="none")
    for number in range(FILES):
        csv.write_csv(table.slice(number * size, size), out / "csv" / f"orders-{number:02d}.csv", options)
    hours = pa.compute.strftime(table["pay_time"], "%H")
    table = table.append_column("ds", pa.array(["2024-06-18"] * rows)).append_column("hh", hours)
    parquet.write_to_dataset(table, out / "parquet", partition_cols=["ds", "hh"])
