"""A batch over the windows of an interval."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.basics.errors import InputError
from airflow_nrt.usecases.requests.report import ReportInHome


@dataclass(frozen=True)
class BatchRequest:
    """Windows that end after `start` and up to `end`, None where that is open.

    Both are times of the report's clock, or instants with `Z` or an offset; only the plan knows the clock.
    `patience` is how long (ms) to wait until the stream has read what has arrived; 0: not at all.
    """

    place: ReportInHome
    start: str | None = None
    end: str | None = None
    patience: int = 0

    def __post_init__(self) -> None:
        """Raises InputError for a negative time."""
        if self.patience < 0:
            raise InputError(f"{self.patience} ms are no time to wait for the stream")

    def arguments(self) -> list[str]:
        """The command line, as `ReportInHome.arguments`."""
        waiting = ["--wait-for-stream", f"{self.patience}ms"] if self.patience else []
        start = [] if self.start is None else ["--start", self.start]
        end = [] if self.end is None else ["--end", self.end]
        return [*self.place.arguments(), *waiting, *start, *end]
