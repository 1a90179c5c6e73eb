"""Rows of csv files as a sink of this product writes them."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from airflow_nrt.model.options.known import sink_option

_LONGEST_FIELD = 2**31 - 1
"""Characters. Python's own limit is 128 KiB, and a cell may be as long as a text of Spark."""


def csv_rows(file: Path, options: Mapping[str, str]) -> Iterator[list[str]]:
    """The fields of each row. `options` are those of the table. Raises OSError."""
    csv.field_size_limit(_LONGEST_FIELD)
    separator, mark = (sink_option(options, f"csv.{name}") for name in ("field-delimiter", "quote-character"))
    with file.open(encoding="utf-8", newline="") as lines:
        yield from csv.reader(lines, delimiter=separator, quotechar=mark)
