"""A way on for a home whose results a sink refuses: the rows that it names are set aside, and the ledger has them."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.limits import REFUSED
from airflow_nrt.engine.sinks.sink import RefusedRow
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.home.rows_aside import keep_aside
from airflow_nrt.home.visible import waiting
from airflow_nrt.model.plan import Plan


@dataclass(frozen=True)
class RowAside:
    """A row of a result, by column as text, with its log entry and why its sink refuses it."""

    entry: int
    insert: str
    reason: str
    row: dict[str, Any]


def set_aside(spark: SparkSession, plan: Plan, home: Home) -> Iterator[RowAside]:
    """Takes the rows that sinks refuse out of the results that are decided and not visible yet.

    No driver may run. Raises UnreachableError for a sink that does not answer.
    """
    for entry in home.log().entries():
        by_insert: dict[str, list[Published]] = defaultdict(list)
        for one in waiting(home, entry.published):
            if (home.path / one.staged).is_file():
                by_insert[one.insert].append(one)
        for name, files in by_insert.items():
            insert = plan.insert(name)
            by_file: dict[Published, list[RefusedRow]] = defaultdict(list)
            for refused in sink_of(insert).refused(spark, home, insert, files):
                by_file[refused.file].append(refused)
            for file, rows in by_file.items():
                for row, refused in zip(_taken_out(home, file, rows), rows):
                    yield RowAside(entry.n, name, refused.reason, row)


def _taken_out(home: Home, made: Published, refused: Sequence[RefusedRow]) -> list[dict[str, Any]]:
    """Removes rows from a staged file, and gives them. The ledger has them before."""
    import pyarrow as pa
    from pyarrow import parquet

    file = home.path / made.staged
    rows = parquet.ParquetFile(file).read()
    numbers = {one.row for one in refused}
    gone = [_texts(rows.slice(one.row, 1).to_pylist()[0]) for one in refused]
    window = {} if made.end is None else {"window_end": format_instant(made.end)}
    records = [{"insert": made.insert, "reason": one.reason, **window, "row": row} for one, row in zip(refused, gone)]
    keep_aside(home, made, records)
    beside = file.with_name(f".{file.name}")
    parquet.write_table(rows.filter(pa.array([n not in numbers for n in range(rows.num_rows)])), beside)
    shutil.copymode(file, beside)
    os.replace(beside, file)
    return gone


def _texts(row: dict[str, Any]) -> dict[str, Any]:
    def text(value: Any) -> str | None:
        return value.decode(errors="replace") if isinstance(value, bytes) else None if value is None else str(value)

    return {name: text(value) for name, value in row.items() if name != REFUSED}
