"""Which rows of a source a home is to leave out, and which it leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airflow_nrt.model.options.settings import NO_SETTINGS, Settings
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER


@dataclass(frozen=True)
class SkipRequest:
    """`places` as people name them: `0@800` of a topic, `3.json@12` of files. The `source` may be left out where the
    report has one."""

    home: str
    places: tuple[str, ...] = ()
    source: str | None = None
    group: str | None = None
    master: str = DEFAULT_MASTER
    settings: Settings = NO_SETTINGS


@dataclass(frozen=True)
class SkipResult:
    """All rows that the home leaves out, by source; those that this request has `added` among them."""

    rows: Mapping[str, tuple[str, ...]]
    added: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"rows": {source: list(rows) for source, rows in self.rows.items()}, "added": self.added}
