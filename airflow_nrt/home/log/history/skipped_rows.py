"""Which splits have rows that are to be left out."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_nrt.home.log.splits import SourceRange, Split
from airflow_nrt.model.skipped_row import SkippedRow


def has(split: Split, row: SkippedRow) -> bool:
    """Whether a row is of a split."""
    if isinstance(split, SourceRange):
        return split.part == row.part and split.start <= row.number < split.end
    return split.path == row.part


def unread(rows: Iterable[SkippedRow], splits: Iterable[Split]) -> list[SkippedRow]:
    """The rows that are of none of these splits, which were read."""
    read = list(splits)
    return [row for row in rows if not any(has(split, row) for split in read)]
