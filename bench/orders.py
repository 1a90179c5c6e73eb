"""One day of orders, the same for the same seed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute
from pyarrow import csv, parquet

DAY_MS = 86_400_000
MIDNIGHT = np.datetime64("2024-06-18", "ms")
FILES, STEPS = 48, 144
ITEMS, SELLERS, USERS = 10_000, 2_000, 1_000_000
DISORDER_MS = 30_000


def orders(rows: int, seed: int = 145, items_of: int = ITEMS, users_of: int = USERS) -> pa.Table:
    """Orders in arrival order: items by Zipf's law, users evenly, event times up to 30 s out of order."""
    rng = np.random.default_rng(seed)
    chances = np.cumsum(1.0 / np.arange(1, items_of + 1) ** 1.1)
    items = rng.permutation(items_of)[np.searchsorted(chances, rng.random(rows) * chances[-1])] + 1
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
            "user_id": pa.array(rng.integers(1, users_of + 1, rows).astype(np.int32)),
            "price": pa.compute.divide(price, hundred).cast(pa.decimal128(10, 2)),
            "pay_time": pa.array(MIDNIGHT + paid.astype("timedelta64[ms]")),
        }
    )


@dataclass(frozen=True)
class Day:
    """The same orders in each shape: `csv` and `steps` one after the other, `two` in turn, `parquet` by ds and hh."""

    path: Path
    rows: int

    @property
    def csv(self) -> Path:
        return self.path / "csv"

    @property
    def steps(self) -> Path:
        """A file for what arrives in ten minutes."""
        return self.path / "steps"

    @property
    def two(self) -> Path:
        """Two files that each cover the day: a reader of several files at once keeps their order."""
        return self.path / "two"

    @property
    def parquet(self) -> Path:
        return self.path / "parquet"


def write(out: Path, rows: int) -> Day:
    """The day below `out`, written unless it is there."""
    day = Day(out.absolute() / str(rows), rows)
    if not day.path.exists():
        aside = Day(day.path.with_name(f".{rows}"), rows)
        shutil.rmtree(aside.path, ignore_errors=True)
        table = orders(rows)
        for directory, count in ((aside.csv, FILES), (aside.steps, STEPS)):
            size = -(-rows // count)
            write_csv(directory, [table.slice(number * size, size) for number in range(count)])
        write_csv(aside.two, [table.take(pa.array(np.arange(number, rows, 2))) for number in range(2)])
        hours = pa.compute.strftime(table["pay_time"], "%H")
        table = table.append_column("ds", pa.array(["2024-06-18"] * rows)).append_column("hh", hours)
        parquet.write_to_dataset(table, aside.parquet, partition_cols=["ds", "hh"])
        aside.path.rename(day.path)
    return day


def write_csv(directory: Path, parts: list[pa.Table]) -> None:
    directory.mkdir(parents=True)
    options = csv.WriteOptions(include_header=False, quoting_style="none")
    for number, part in enumerate(parts):
        csv.write_csv(part, directory / f"orders-{number:03d}.csv", options)
