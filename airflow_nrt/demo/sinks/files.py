"""The curve in a directory of parquet files. The cell is flipped in a copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pendulum
from pyarrow import Table, array, parquet

from airflow_nrt.curve import Curve, CurveReader
from airflow_nrt.demo.children import Verify
from airflow_nrt.demo.screen import Screen
from airflow_nrt.demo.sinks.sink import CurveRow, CurveSink, around, flipped
from airflow_nrt.demo.summary import Flipped
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.history.sink_history import standing_at
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.outline import Outline


class FilesSink(CurveSink):
    """The table is below `data/`."""

    name = "files"
    example = "orders_curve"

    @property
    def table(self) -> Path:
        return self.place / "data" / "orders_curve"

    def row(self, home: Home, shop: int, end: int) -> CurveRow | None:
        for change in standing_at(past_results(home.log())):
            if change.published.end != end:
                continue
            with (self.table / change.published.target).open("rb") as file:
                rows = parquet.ParquetFile(file).read(["shop_id", "orders", "buyers", "gmv"]).to_pylist()
            for row in rows:
                if row.pop("shop_id") == shop:
                    return CurveRow(**row)
        return None

    def curve(self, home: Home, outline: Outline) -> Curve:
        return CurveReader.of(home, outline, "orders_curve")

    @contextmanager
    def flip(self, home: Home, verify: Verify, screen: Screen) -> Iterator[Callable[[float], Flipped]]:
        copy = self.place / "copy"
        end = _window_end(flip_one_cell(self.table, copy, "buyers"))
        screen.step(f"one cell of a copy is flipped, in the window that ends at {end}: will a verification find it?")
        with verify("--published", str(copy), *around(end)) as running:
            yield lambda patience: flipped(end, running, screen, patience)


def flip_one_cell(table: Path, copy: Path, column: str) -> Path:
    """Copies a directory of parquet files and adds one to the first value of a column in its middle file.

    Returns the changed file, below `copy`.
    """
    shutil.copytree(table, copy)
    files = sorted(copy.rglob("*.parquet"))
    chosen = files[len(files) // 2]
    with chosen.open("rb") as file:
        content: Table = parquet.ParquetFile(file).read()
    values = content[column].to_pylist()
    values[0] += 1
    index = content.schema.get_field_index(column)
    changed = content.set_column(index, content.schema.field(index), array(values, content.schema.field(index).type))
    parquet.write_table(changed, chosen)
    return chosen


def _window_end(file: Path) -> str:
    """`…-20240618T120000.parquet` ends at 2024-06-18 12:00:00."""
    return pendulum.from_format(file.stem.rpartition("-")[2], "YYYYMMDD[T]HHmmss").to_datetime_string()
