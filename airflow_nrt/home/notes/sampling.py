"""Which columns of an insert are sampled, and for how many keys."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.home.outline import InsertOutline
from airflow_nrt.model.options.known import sink_option
from airflow_nrt.model.windows import WINDOWS

FORMATS = ("csv", "json", "parquet")
MOST_COLUMNS = 8
"""The most key columns, and the most measures."""
_TEXTS = ("CHAR", "VARCHAR", "STRING", "BOOLEAN", "DATE")
_NUMBERS = ("TINYINT", "SMALLINT", "INT", "BIGINT", "DECIMAL", "FLOAT", "DOUBLE")
_SLOTTED = tuple(kind.kind for kind in WINDOWS if not kind.ends_on_grid)
"""Of these no file is one window. The outline of a home has windows as texts that begin with their kind."""


@dataclass(frozen=True)
class Sampling:
    """`top` keys of a window are kept, 0 for no sample.

    `keys` are the columns that distinguish the rows of a window, without times, which all of them share; where these
    are unknown, the texts. `measures` are all other numbers.
    """

    keys: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    top: int = 0

    @classmethod
    def of(cls, insert: InsertOutline) -> Sampling:
        """The sampling of an insert; empty where nothing holds a whole window, or its connector has no samples."""
        of_files = insert.whole_windows and insert.format in FORMATS
        if not (of_files if insert.sampled is None else insert.sampled):
            return cls()
        if insert.window is None or insert.window.text.startswith(_SLOTTED):
            return cls()
        kinds = dict(insert.columns)
        # A column of the partition is in the names of directories, as a text.
        known = insert.key or [name for name, kind in insert.columns if kind in _TEXTS]
        keys = [name for name in known if kinds.get(name, "STRING") in (*_TEXTS, *_NUMBERS)]
        measures = [name for name, kind in insert.columns if kind in _NUMBERS and name not in keys]
        top = int(sink_option(insert.options, "sink.sample")) if measures else 0
        return cls(tuple(keys[:MOST_COLUMNS]), tuple(measures[:MOST_COLUMNS]), top)
