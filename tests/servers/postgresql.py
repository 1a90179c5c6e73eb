"""The PostgreSQL of tests: the product's, in a directory of its own.

It runs as another user, and each pytest that begins closes the directories of all pytests to others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.demo.servers import postgresql
from tests.servers.installed import missing


@dataclass
class PostgreSql(postgresql.PostgreSql):
    """A cluster of a test, which is skipped where PostgreSQL is missing."""

    def __post_init__(self) -> None:
        self._own = TemporaryDirectory(prefix="nrt-postgresql-")
        self.place = Path(self._own.name) / self.place.name

    def start(self) -> Any:
        try:
            return super().start()
        except InputError as wrong:
            missing(str(wrong))

    def _open_way(self) -> None:
        for parent in self.place.parents[:-2]:
            parent.chmod(parent.stat().st_mode | 0o011)
