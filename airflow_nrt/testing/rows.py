"""Rows of a test: written to a source as one file, and read from a sink."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.model.tables import Table

Row: TypeAlias = "tuple[Any, ...]"
_FLOATS = ("FLOAT", "DOUBLE")
_MINUTE = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d")


def write_rows(table: Table, rows: Iterable[Mapping[str, Any]], file: Path) -> None:
    """Columns that a row lacks are NULL. Raises InputError for a column that the table has not."""
    timed = {column.name for column in table.physical if column.type.is_timestamp}
    lines, changes = [], table.change_format
    for row in rows:
        check_columns(table, row)
        whole = {name: _with_seconds(value) if name in timed else value for name, value in row.items()}
        lines.append(json.dumps(whole if changes is None else changes.added(whole), default=str))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _with_seconds(value: Any) -> Any:
    return f"{value}:00" if isinstance(value, str) and _MINUTE.fullmatch(value) else value


def check_columns(table: Table, names: Iterable[str]) -> None:
    """Raises InputError for a column that the table does not have, or computes itself."""
    known = [column.name for column in table.physical]
    for name in names:
        if name not in known:
            raise InputError(f"table {table.name!r} has no column {name!r}{nearest(name, known) or _listed(known)}")


def _listed(names: Iterable[str]) -> str:
    return f": there are {', '.join(names)}"


def read_rows(table: Table, files: Iterable[Path], names: Sequence[str]) -> list[Row]:
    """The rows in the files of a sink, in the order of their texts; for a changelog, the rows that it results in."""
    kinds = {column.name: column.type.name for column in table.physical}
    counts: Counter[str] = Counter()
    rows: dict[str, Row] = {}
    for change, line in _lines(table, files):
        row = tuple(_value(line.get(name), kinds[name]) for name in names or kinds)
        # Some values are lists, which can't be hashed.
        rows[repr(row)] = row
        counts[repr(row)] += change
    return [rows[text] for text in sorted(rows) for _ in range(counts[text])]


def _value(value: Any, kind: str) -> Any:
    return float(value) if kind in _FLOATS and value is not None else value


def _lines(table: Table, files: Iterable[Path]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Rows, and how often each was emitted minus how often it was retracted."""
    for file in files:
        for text in file.read_text(encoding="utf-8").splitlines():
            line = json.loads(text, parse_float=Decimal)
            changes = table.change_format
            if changes is None:
                yield 1, line
            else:
                yield 1 if changes.is_added(line) else -1, changes.row_in(line)
