"""What would have to be read again to compute an insert for the past, and from when on the past is there."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.durations import MINUTE, format_duration
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.basics.texts import counted


@dataclass(frozen=True)
class Speed:
    """So many `rows` were read in `ms` milliseconds, by the `batches` largest batches of a home."""

    rows: int
    ms: int
    batches: int

    def needed(self, rows: int) -> int:
        """The milliseconds that so many rows take."""
        return rows * self.ms // self.rows

    def __str__(self) -> str:
        which = "largest batch" if self.batches == 1 else f"{self.batches:,} largest batches"
        rate = self.rows * 1000 / self.ms
        return f"at {rate:,.{0 if rate >= 10 else 1}f} rows a second, as this home's {which}, waiting included"


@dataclass(frozen=True)
class Reach:
    """The past of an insert.

    It can be computed `since` a time (ms of the report's clock), of the rows that are there; None: from the first row
    on. `first` is the time from which the home has results of it, as far as it is known. About so many `rows` would be
    read, None if nobody knows. `open` says why the time is not known, `gone` what of the past is not there any more.
    """

    since: int | None = None
    first: int | None = None
    rows: int | None = None
    speed: Speed | None = None
    open: str | None = None
    gone: str | None = None

    @property
    def seconds(self) -> int | None:
        """About how long it takes; None if nobody knows."""
        return None if self.rows is None or self.speed is None else self.speed.needed(self.rows) // 1000

    def __str__(self) -> str:
        """`from 2024-06-18 10:00:00 on, about 12,000 rows and 4 minutes (at 50 rows a second, …)`."""
        return f"{self._from()}, {self._costs()}{'' if self.gone is None else f'; {self.gone}'}"

    def _from(self) -> str:
        if self.open is not None:
            return f"from an unknown time on ({self.open})"
        if self.since is not None:
            return f"from {format_instant(self.since)} on"
        return "from the first row on" + ("" if self.first is None else f" ({format_instant(self.first)})")

    def _costs(self) -> str:
        if self.rows is None:
            return "an unknown number of rows"
        rows = f"about {counted(self.rows, 'row')}"
        if self.rows == 0:
            return "no rows yet"
        if self.speed is None:
            return f"{rows}, an unknown time (the log has no batches to measure)"
        return f"{rows} and {_roughly(self.speed.needed(self.rows))} ({self.speed})"


def _roughly(ms: int) -> str:
    return "less than a minute" if ms < MINUTE else format_duration(ms - ms % MINUTE, most=2)
