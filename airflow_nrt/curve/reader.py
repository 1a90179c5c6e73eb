"""The curve of a home: one value for each published window, summed over the rows of the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.curve.column import ColumnOfWindows
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.log.history.sink_history import standing_at
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.outline import InsertOutline, Outline
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.csv_rows import csv_rows
from airflow_nrt.model.options.known import sink_option

NUMERIC = ("TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE")


@dataclass(frozen=True)
class Point:
    """A window's end (ms) and value, the entry that published it last, and the time of that (ms of the wall clock)."""

    end: int
    value: float
    entry: int
    time: int


@dataclass
class CurveReader(ColumnOfWindows):
    """Reads the curve of one column repeatedly; no file is read twice.

    Raises InputError for an unknown insert or column.
    """

    home: Home
    insert: InsertOutline
    column: str
    _values: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, home: Home, outline: Outline, insert: str | None = None, column: str | None = None) -> CurveReader:
        """The curve of an insert's column; by default the first insert with windows in files, and its first number."""
        chosen = chosen_insert([one for one in outline.inserts if one.whole_windows], outline, insert)
        return cls(home, chosen, _column(chosen, column))

    def values(self) -> list[tuple[int, float]]:
        """The end (ms) and the value of each window."""
        return [(point.end, point.value) for point in self.points()]

    def points(self) -> list[Point]:
        """The current curve, in the order of windows."""
        sums: dict[int, Point] = {}
        for change in standing_at(past_results(self.home.log())):
            one = change.published
            if one.insert == self.insert.name and one.end is not None:
                before = sums.get(one.end)
                value = self._value(one) + (before.value if before else 0)
                sums[one.end] = Point(one.end, value, change.entry, change.time)
        return [sums[end] for end in sorted(sums)]

    def _value(self, one: Published) -> float:
        if one.checksum not in self._values:
            assert self.insert.directory is not None
            self._values[one.checksum] = _sum(Path(self.insert.directory) / one.target, self.insert, self.column)
        return self._values[one.checksum]


def chosen_insert(drawn: Sequence[InsertOutline], outline: Outline, name: str | None) -> InsertOutline:
    """The insert of this name among those that can be drawn, by default the first one. Raises InputError."""
    chosen = next((one for one in drawn if name in (None, one.name)), None)
    if chosen is None:
        wanted = f"no insert {name!r}" if name else "no insert"
        names = ", ".join(one.name for one in drawn)
        instead = f"choose one of {names}" if names else "`airflow-nrt changelog` shows what it publishes"
        raise InputError(f"{outline.report} has {wanted} that publishes windows, and each of them whole: {instead}")
    return chosen


def _column(insert: InsertOutline, name: str | None) -> str:
    numbers = [column for column, kind in insert.columns if kind in NUMERIC]
    if name is not None and name not in numbers:
        raise InputError(f"{insert.name} has no column {name!r} of numbers: {', '.join(numbers)}")
    measures = [column for column in numbers if column not in insert.key]
    chosen = name or next(iter(measures or numbers), None)
    if chosen is None:
        raise InputError(f"{insert.name} has no column of numbers to draw")
    return chosen


def _sum(path: Path, insert: InsertOutline, column: str) -> float:
    """The sum of a column of one published file; NaN if the file has been removed meanwhile."""
    try:
        values = _read(path, insert, column)
    except FileNotFoundError:
        return float("nan")
    return float(sum((Decimal(str(value)) for value in values if value is not None), Decimal(0)))


def _read(path: Path, insert: InsertOutline, column: str) -> list[Any]:
    if insert.format == "parquet":
        from pyarrow import parquet

        with path.open("rb") as file:
            values: list[Any] = parquet.ParquetFile(file).read([column])[column].to_pylist()
        return values
    changes = CHANGE_FORMATS.get(insert.format)
    if insert.format == "json" or changes is not None:
        import json

        with path.open(encoding="utf-8") as lines:
            written = (json.loads(line) for line in lines)
            rows = written if changes is None else map(changes.row_in, written)
            return [row.get(column) for row in rows]
    place = [name for name, _ in insert.columns].index(column)
    null = sink_option(insert.options, "csv.null-literal") or ""
    return [None if row[place] == null else row[place] for row in csv_rows(path, insert.options)]
