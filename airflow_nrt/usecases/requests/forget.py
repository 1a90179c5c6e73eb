"""Which home is to be forgotten, and what it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from airflow_nrt.model.options.settings import NO_SETTINGS, Settings
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER


@dataclass(frozen=True)
class ForgetRequest:
    """`is_meant`: the home is removed. Else it is only shown."""

    home: str
    is_meant: bool = False
    group: str | None = None
    master: str = DEFAULT_MASTER
    settings: Settings = NO_SETTINGS


@dataclass(frozen=True)
class ForgetResult:
    """What the home has, or had: log entries, published windows, and its size. By insert, the directory that it
    publishes to; None of a table of a server."""

    report: str
    home: str
    driver: str
    entries: int
    windows: int
    bytes: int
    tables: Mapping[str, str | None]
    is_removed: bool = False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
