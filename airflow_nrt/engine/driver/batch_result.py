"""One micro-batch on its way: its rows, which several consumers take, and what it left behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import bigint
from airflow_nrt.engine.time.accept import accepted
from airflow_nrt.engine.versions.throttled_changes import Held
from airflow_nrt.engine.versions.versions import Touched
from airflow_nrt.home.log.entries import Lateness, Published, StateFile
from airflow_nrt.model.internal_columns import SEEN
from airflow_nrt.model.plan import Source


@dataclass(frozen=True)
class Taken:
    """What a batch left behind, before the log knows of it: counts, files of state and results, the ledger."""

    rows: int = 0
    proposal: int | None = None
    partials: Mapping[str, StateFile] = field(default_factory=dict)
    updating: Mapping[str, tuple[StateFile, ...]] = field(default_factory=dict)
    published: tuple[Published, ...] = ()
    late: tuple[Lateness, ...] = ()
    ledger: str | None = None
    rejected: Mapping[str, int] = field(default_factory=dict)
    touched: Mapping[str, Sequence[Touched]] = field(default_factory=dict)
    held: Held = field(default_factory=dict)


@dataclass
class TakenRows:
    """The judged rows of a batch. Whoever takes of them first gets those that are counted as they pass."""

    source: Source
    _next: DataFrame
    _others: DataFrame

    def take(self, seen: int | None) -> DataFrame:
        """The rows for one consumer, late by this watermark (ms), none of them if it is None."""
        taken, self._next = self._next, self._others
        return accepted(taken, self.source, f"{bigint(seen)} AS {SEEN}")
