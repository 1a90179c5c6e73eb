"""The versions of windows of a home, and an undo."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.settings import NO_SETTINGS, Settings
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER

_MOST_LETTERS = 500


@dataclass(frozen=True)
class VersionsRequest:
    """The windows that end at `window`, a time of the report's clock or an instant, None: all that have had more than
    one version; of one `insert`, None: of all."""

    home: str
    window: str | None = None
    insert: str | None = None
    group: str | None = None


@dataclass(frozen=True)
class ShownVersion:
    """A version of a window. `version` is the log entry that published it, `at` when (ms of the wall clock).

    `why` is `first result`, `early result`, `late update`, `filled from TWIN`, `backfill`, `repair` or `undo`, and
    `cause` says more. `by` is a driver by its epoch, or whoever asked for a restatement. `sums` are by column the sums
    of its numbers as texts, None if they are not known. It is one that an undo can publish again until `kept_until` (ms
    of the wall clock), None if its rows are not kept. `pin` says who has set the window, None if nobody has, or if it
    is not the version that the window has now.
    """

    version: int
    at: int
    why: str
    by: str
    cause: str
    rows: int
    sums: Mapping[str, str] | None = None
    kept_until: int | None = None
    pin: str | None = None


@dataclass(frozen=True)
class VersionsOfWindow:
    """The versions of the window of an insert, the oldest first. `start` and `end` are ms of the report's clock."""

    insert: str
    start: int | None
    end: int
    versions: tuple[ShownVersion, ...]


@dataclass(frozen=True)
class Versions:
    """Of so many `others` only the one version that they have had is known."""

    windows: tuple[VersionsOfWindow, ...]
    others: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class UndoRequest:
    """The window that ends at `window`, on the report's clock or as an instant, gets the rows of version `to` again.

    Without `to` that is the version before. `insert` may be None if one insert alone has that window. `reason` is kept
    in the log.
    """

    home: str
    window: str
    insert: str | None = None
    to: int | None = None
    reason: str = ""
    group: str | None = None
    master: str = DEFAULT_MASTER
    settings: Settings = field(default=NO_SETTINGS)

    def __post_init__(self) -> None:
        """Raises InputError for a reason that is no line of text."""
        if len(self.reason) > _MOST_LETTERS or not self.reason.isprintable():
            raise InputError(f"--reason is one line of at most {_MOST_LETTERS} characters")


@dataclass(frozen=True)
class UndoResult:
    """The window of an insert has the rows of version `to` since log entry `version`; `pin` says who has set it."""

    insert: str
    start: int | None
    end: int
    version: int
    to: int
    rows: int
    pin: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
