"""The windowing functions, in FROM (FLIP-145) and in GROUP BY (FLIP-11): their arguments, and the windows they give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from airflow_nrt.model.windows import Window, cumulate, hop, session, tumble


@dataclass(frozen=True)
class WindowFunction:
    """`lengths` are the names of its intervals, in their order, after the table and the time column.

    `window` makes a window of them, and of an offset where it `has_offset`; it raises InputError. `is_partitioned`: its
    table may be given with PARTITION BY. `has_flag`: it takes emitOnlyOnUpdate, too.
    """

    name: str
    lengths: tuple[str, ...]
    window: Callable[..., Window]
    has_offset: bool = True
    is_partitioned: bool = False
    has_flag: bool = False

    @property
    def intervals(self) -> tuple[str, ...]:
        """Its lengths, and the offset if it has one."""
        return (*self.lengths, "OFFSET") if self.has_offset else self.lengths


WINDOW_FUNCTIONS = {
    one.name: one
    for one in (
        WindowFunction("TUMBLE", ("SIZE",), tumble),
        WindowFunction("HOP", ("SLIDE", "SIZE"), hop),
        WindowFunction("CUMULATE", ("STEP", "SIZE"), cumulate, has_flag=True),
        WindowFunction("SESSION", ("GAP",), session, has_offset=False, is_partitioned=True),
    )
}
"""By name."""
