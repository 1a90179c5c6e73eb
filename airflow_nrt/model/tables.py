"""A table of a report, as its `CREATE TABLE` declares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS, ChangeFormat
from airflow_nrt.model.options.known import DOMAIN

LINE = "_nrt_line"
"""The column with the line of text that a row was read from; NULL for parquet."""
SOURCE_FILE = "_nrt_file"
"""The column with the file that a row was read from, as Spark spells it: `file:///a%20b`."""
SIZE, MODIFIED = "_nrt_size", "_nrt_modified"
"""The columns with the size of that file (bytes) and its modification time. Only where the table declares one."""


@dataclass(frozen=True)
class Column:
    """A column. A computed one has an `expression` (Spark SQL), which `reads` these columns of the file.

    `text` is the expression as the report writes it. `metadata` is the connector's key of a METADATA column, which is
    computed, too. `proctime`: it is nothing but processing time, and so a time attribute.
    """

    name: str
    type: DataType
    expression: str | None = field(default=None, metadata=METADATA)
    reads: tuple[str, ...] = field(default=(), metadata=METADATA)
    metadata: str | None = None
    text: str | None = None
    proctime: bool = field(default=False, metadata=METADATA)

    @property
    def is_computed(self) -> bool:
        return self.expression is not None


@dataclass(frozen=True)
class Watermark:
    """FLIP-66: the rowtime column and the watermark that each row proposes.

    `expression` is Spark SQL for milliseconds (BIGINT) over the columns that it `reads` and `_nrt_ts`, the rowtime in
    milliseconds; NULL proposes no watermark. `text` is the expression as the report writes it. `path` leads into a ROW
    column: for `WATERMARK FOR event.log_ts` the column is `event`, the path `("log_ts",)`.
    `delay` is how long it lags the rowtime (ms), None if that is not constant.
    """

    column: str
    expression: str = field(metadata=METADATA)
    text: str = field(compare=False)
    reads: tuple[str, ...] = field(metadata=METADATA)
    path: tuple[str, ...] = ()
    delay: int | None = field(default=None, metadata=METADATA)

    @property
    def name(self) -> str:
        """The rowtime as the report writes it."""
        return ".".join((self.column, *self.path))

    @property
    def rowtime(self) -> str:
        """The rowtime in Spark SQL."""
        return ".".join(map(quote, (self.column, *self.path)))


@dataclass(frozen=True)
class History:
    """The past of a topic: the rows of another `table` with a rowtime before `until` (an instant, ms).

    It has the physical columns of the topic's table, and its METADATA columns as physical ones. `zone` is that of the
    windows, as `Source.zone`.
    """

    table: Table
    until: int
    zone: str | None = None


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
    has_upserts: bool = field(default=False, metadata=METADATA)
    """Whether a row that is read replaces the one of its key, or retracts it: a property of its connector."""
    history: History | None = field(default=None, metadata=METADATA)
    """What is read before the table itself; None for most."""

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def rowtime_type(self) -> DataType:
        """The type of the rowtime. The table has a watermark."""
        assert self.watermark is not None
        kind = self.column(self.watermark.column).type
        for name in self.watermark.path:
            kind = dict(kind.children)[name]
        return kind

    @property
    def physical(self) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if not column.is_computed)

    @property
    def path(self) -> str:
        return self.options["path"]

    @property
    def format(self) -> str:
        return (self.options.get("format") or self.options.get("value.format", "")).lower()

    @property
    def suffix(self) -> str:
        """The suffix of its files."""
        return self.format if self.change_format is None else "json"

    @property
    def change_format(self) -> ChangeFormat | None:
        """How its changes are written, None if it has rows."""
        return CHANGE_FORMATS.get(self.format)

    @property
    def is_changelog(self) -> bool:
        """Whether it holds a changelog: rows that are added and rows that are retracted."""
        return self.change_format is not None or self.has_upserts

    @property
    def constant(self) -> tuple[str, ...]:
        """The columns whose domain is declared not to grow."""
        return tuple(name.removeprefix(DOMAIN) for name in self.options if name.startswith(DOMAIN))
