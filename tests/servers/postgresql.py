"""The PostgreSQL of tests: the product's, below directories that each pytest closes to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.demo.servers import postgresql
from tests.servers.installed import missing


@dataclass
class PostgreSql(postgresql.PostgreSql):
    """A cluster of a test, which is skipped where PostgreSQL is missing."""

    def start(self) -> Any:
        try:
            return super().start()
        except InputError as wrong:
            missing(str(wrong))

    def _open_way(self) -> None:
        for parent in self.place.parents[:-2]:
            parent.chmod(parent.stat().st_mode | 0o011)
