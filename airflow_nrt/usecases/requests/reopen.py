"""Which closed directories of a source a home is to open again, and what lies unread in closed ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from airflow_nrt.home.notes.unread import UnreadFiles


@dataclass(frozen=True)
class ReopenRequest:
    """`directories` as the log names them: paths. The `source` may be left out where the report has one that has
    closed any."""

    home: str
    directories: tuple[str, ...] = ()
    source: str | None = None
    group: str | None = None


@dataclass(frozen=True)
class ReopenResult:
    """By source: how many directories are `closed`, those with `unread` files, and those that the next driver opens."""

    closed: Mapping[str, int]
    unread: Mapping[str, Mapping[str, UnreadFiles]]
    opening: Mapping[str, tuple[str, ...]]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
