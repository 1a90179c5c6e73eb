"""One query over bounded input."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.zones import read_zone
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER

STREAM, BATCH = MODES = ("stream", "batch")


@dataclass(frozen=True)
class SqlText:
    """A text of SQL; `origin` is its name in errors."""

    text: str
    origin: str


@dataclass(frozen=True)
class QueryRequest:
    """One SELECT over the tables that other statements declare, whose relative paths start at `base`.

    `mode` is how it runs, one of `MODES`. With `changelog` the result is each change, in order, instead of the final
    table. `zone` is the session time zone, which wins over that of the statements.
    """

    tables: SqlText
    query: SqlText
    base: Path
    mode: str = STREAM
    changelog: bool = False
    zone: str | None = None
    master: str = DEFAULT_MASTER

    def __post_init__(self) -> None:
        """Raises InputError for an unknown mode, and for a zone that is none."""
        if self.mode not in MODES:
            raise InputError(f"mode: {self.mode!r} is none of {', '.join(MODES)}")
        if self.zone:
            try:
                read_zone(self.zone)
            except ValueError as wrong:
                raise InputError(f"--tz: {wrong}") from None

    def origin(self, script: str | None) -> str:
        """Which of the two texts a script is."""
        return self.query.origin if script == self.query.text else self.tables.origin
