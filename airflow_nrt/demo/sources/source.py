"""What the demonstration asks of a source of orders."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from airflow_nrt.demo.children import Child, Verify
from airflow_nrt.demo.endpoint import Endpoint
from airflow_nrt.home.home import Home

ArchiveVerdicts = Callable[[float], list[Mapping[str, Any]]]
"""Waits so many seconds for the verdicts about archives."""


class OrdersSource(Endpoint, ABC):
    """Orders of a day. The DAGs of the demonstration are those of the source's `example`."""

    @property
    @abstractmethod
    def home(self) -> Home:
        """Where the DAGs of the example have the report's home."""

    @abstractmethod
    def arriving(self, child: Child, *day: str) -> AbstractContextManager[None]:
        """Inside, orders arrive, a day in a minute; `day` are arguments of the generator that choose another one."""

    @contextmanager
    def archives(self, verify: Verify) -> Iterator[ArchiveVerdicts]:
        """Inside, the archives of the source are verified. Without an archive there are no verdicts."""
        yield lambda patience: []
