"""A table of a report, as its `CREATE TABLE` declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from airflow_nrt.report.types import DataType


@dataclass(frozen=True)
class Column:
    """One column. A computed one has an `expression` (Spark SQL), which `reads` these physical columns."""

    name: str
    type: DataType
    expression: str | None = None
    reads: tuple[str, ...] = ()

    @property
    def is_computed(self) -> bool:
        return self.expression is not None


@dataclass(frozen=True)
class Watermark:
    """FLIP-66: the rowtime column and the watermark that each row proposes.

    `expression` is Spark SQL for milliseconds (BIGINT), of the columns that it `reads` and of `_nrt_ts`, the rowtime in
    milliseconds; `text` is the report's own.
    """

    column: str
    expression: str
    text: str
    reads: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A source or a sink. `options` are the values of `WITH`, checked and with the report's overrides applied."""

    name: str
    columns: tuple[Column, ...]
    connector: str
    watermark: Watermark | None = None
    partition_keys: tuple[str, ...] = ()
    primary_key: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def physical(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if not column.is_computed)

    @property
    def path(self) -> str:
        return self.options["path"]

    @property
    def format(self) -> str:
        return self.options["format"]
