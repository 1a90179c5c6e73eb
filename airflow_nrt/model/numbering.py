"""Rows that are numbered in the order of arrival before windows read them: the first row of a key is number 1."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.model.windows import Window
from airflow_nrt.model.windows.arithmetic import Ms
from airflow_nrt.model.windows.grid import Grid


@dataclass(frozen=True)
class Numbering:
    """How the rows of a window operator are numbered.

    `sql` gives `rows`, a FROM item, with the `keys`, over the inputs of the operator, whose own input reads them as
    `NUMBERED`. Numbers after `most` are not asked for (None: all are). What is kept of a key ends with a `period`, if a
    key is a part of the rowtime, such as a day. With `idle` a key begins anew after so many milliseconds of event time
    without a row.
    """

    sql: str = field(metadata=METADATA)
    rows: str = field(metadata=METADATA)
    keys: tuple[str, ...] = field(metadata=METADATA)
    most: int | None = field(default=None, metadata=METADATA)
    period: Grid | None = field(default=None, metadata=METADATA)
    idle: int | None = None

    @property
    def ends(self) -> bool:
        """Whether what is kept of a key ends."""
        return self.period is not None or self.idle is not None

    def below(self, window: Window) -> Numbering:
        """The numbering of rows that this window reads.

        No end of a period says when the last session is over that a row of it may join.
        """
        return self if window.ends_on_grid else replace(self, period=None)

    def forgotten_at(self, window: Window, rowtime: Ms) -> Ms:
        """The end of the last window with rows of the period of this rowtime. When it is complete, all of them are
        late, and the keys of the period are forgotten. Only for numberings with a `period`."""
        assert self.period is not None
        return window.last_end(window.slice_end(self.period.after(rowtime) - 1))

    def first_row(self, earliest: int) -> int:
        """The earliest rowtime (ms) that decides on the numbers of rows from `earliest` on."""
        return -END_OF_TIME if self.period is None else self.period.at_or_before(earliest)

    def rows_until(self, end: int) -> int:
        """The rowtime (ms) that is after all rows that decide on the numbers of rows before `end`."""
        return END_OF_TIME if self.period is None else self.period.at_or_after(end)
