"""Levels of state files: files of about the same size are merged once there are enough of them.

A row is rewritten about log(n) times in n micro-batches, and each level has at most `FANOUT` files.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable

from pyspark.sql import DataFrame

from airflow_nrt.engine.state.state_columns import SLICE
from airflow_nrt.engine.state.store import SliceStore
from airflow_nrt.home.log.entries import StateFile

FANOUT = 12

Files = tuple[StateFile, ...]
Merge = Callable[[DataFrame, Files], DataFrame]
"""What stands for the rows of these files in the one that replaces them."""


def as_they_are(rows: DataFrame, files: Files) -> DataFrame:
    """All rows."""
    return rows


def merge_full_level(
    store: SliceStore, name: str, files: Files, columns: Iterable[str], merge: Merge, placed_by: str = SLICE
) -> Files:
    """The files, with those of the lowest full level merged into one, which comes first; the same if none is full.

    `name` is that of the operator or insert whose state they are. `columns` are read; `placed_by` is the one that gives
    the range of the new file.
    """
    full = _full_level(files)
    rows = store.read(full, columns)
    if rows is None:
        return files
    merged = store.write(name, merge(rows, full), placed_by).file
    rest = tuple(file for file in files if file not in full)
    return rest if merged is None else (merged, *rest)


def _full_level(files: Files) -> Files:
    """The files of the lowest level with enough files to merge; empty if there is none."""
    levels: dict[int, list[StateFile]] = defaultdict(list)
    for file in files:
        levels[int(math.log(file.rows + 1, FANOUT))].append(file)
    return next((tuple(level) for _, level in sorted(levels.items()) if len(level) >= FANOUT), ())
