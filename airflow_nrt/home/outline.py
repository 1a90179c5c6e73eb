"""`outline.json` of a home: the layout of its results, for readers that do not plan its report again.

Planning imports code of the report's authors. Reading results must not run that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from airflow_nrt.files.formats import Format
from airflow_nrt.home.store.records import read_record
from airflow_nrt.home.store.store_path import StorePath
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.connectors.kafka_options import TOPIC, TOPIC_PATTERN
from airflow_nrt.model.plan import Insert, Plan, Source
from airflow_nrt.model.windows import Every, Grid, Monthly, Window

_TOPICS = (TOPIC, TOPIC_PATTERN)
_KEPT_OPTIONS = ("csv.field-delimiter", "csv.quote-character", "csv.null-literal", "sink.sample")
_MOST_BYTES = 16 << 20
_FORMAT = Format("the outline of a home")


@dataclass(frozen=True)
class WindowOutline:
    """The windows of results: their text, and the distance of their ends (ms). If they end by months, `calendar` says
    when, and `stride` is the shortest month."""

    text: str
    stride: int
    calendar: Monthly | None = None

    def __post_init__(self) -> None:
        """Raises TypeError."""
        if self.stride <= 0:
            raise TypeError(f"windows can't end every {self.stride} ms")

    @classmethod
    def of(cls, window: Window) -> WindowOutline:
        grid = window.grid
        return cls(str(window), grid.shortest, grid if isinstance(grid, Monthly) else None)

    def grid(self, some_end: int) -> Grid:
        """The ends of the windows; `some_end` is one of them."""
        return self.calendar or Every(self.stride, some_end)


@dataclass(frozen=True)
class InsertOutline:
    """The results of one insert, in files of this format in a `directory`; None if they are printed.

    `columns` are names and kinds of type (`BIGINT`) in the files, `key` the columns that distinguish the rows of a
    window. `options` are the format of a line and the number of sampled keys. With `whole_windows` each file holds all
    rows of a window. `operators` are the operators of these windows. `sampled` says whether the home keeps samples of
    whole windows. It is None if an older version wrote it, which only sampled files. `scales` are
    those of DECIMAL columns, none if an older version wrote it.
    """

    name: str
    directory: str | None
    format: str
    columns: tuple[tuple[str, str], ...]
    key: tuple[str, ...] = ()
    window: WindowOutline | None = None
    whole_windows: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    operators: tuple[str, ...] = ()
    sampled: bool | None = None
    scales: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises TypeError."""
        if any(len(column) != 2 for column in self.columns):
            raise TypeError(f"a column of {self.name} is no name with a type")
        if self.whole_windows and (self.window is None or self.directory is None):
            raise TypeError(f"{self.name} has windows, and no word about them")

    @classmethod
    def of(cls, insert: Insert) -> InsertOutline:
        sink, directory = insert.sink, connector_of(insert.sink).directory(insert.sink)
        in_files = [column for column in sink.physical if column.name not in sink.partition_keys]
        window = None if insert.window is None else WindowOutline.of(insert.window)
        return cls(
            name=insert.name,
            directory=directory,
            format=sink.options.get("format", "").lower(),
            columns=tuple((column.name, column.type.name) for column in in_files),
            key=insert.key or (),
            window=window,
            whole_windows=bool(insert.operators) and directory is not None and not insert.emits_changes,
            options={name: sink.options[name] for name in _KEPT_OPTIONS if name in sink.options},
            operators=insert.operators,
            sampled=bool(insert.operators) and not insert.emits_changes and connector_of(sink).keeps_samples(sink),
            scales={one.name: one.type.scale for one in in_files if one.type.scale is not None},
        )


@dataclass(frozen=True)
class ArchivedColumn:
    """A column of a source in its archive, and its METADATA key (None for a physical column)."""

    name: str
    type: str
    metadata: str | None


@dataclass(frozen=True)
class ArchiveOutline:
    """The archive that a stream writes of a `source`, in Parquet files below `directory`. Its table is called `name`.

    `topics` are the options that name the topics, with their values. `zone` is the zone of its hours, None for UTC.
    """

    name: str
    source: str
    directory: str
    topics: tuple[tuple[str, str], ...]
    columns: tuple[ArchivedColumn, ...]
    zone: str | None = None

    @classmethod
    def of(cls, source: Source) -> ArchiveOutline:
        assert source.archive is not None
        insert, table = source.archive.insert, source.table
        stored = (column for column in table.columns if not column.is_computed or column.metadata is not None)
        return cls(
            name=insert.name,
            source=source.name,
            directory=insert.sink.path.removeprefix("file://"),
            topics=tuple((name, table.options[name]) for name in _TOPICS if name in table.options),
            columns=tuple(ArchivedColumn(one.name, one.type.with_nullable(True).flink, one.metadata) for one in stored),
            zone=source.zone,
        )


@dataclass(frozen=True)
class Outline:
    """The results of a report, insert by insert, and the archives that its stream writes."""

    report: str
    inserts: tuple[InsertOutline, ...]
    archives: tuple[ArchiveOutline, ...] = ()

    @classmethod
    def of(cls, plan: Plan) -> Outline:
        archives = tuple(ArchiveOutline.of(source) for source in plan.sources if source.is_archived)
        return cls(plan.name, tuple(map(InsertOutline.of, plan.inserts)), archives)

    def to_bytes(self) -> bytes:
        content = asdict(self)
        if not self.archives:
            # A version that does not know these fields reads it.
            del content["archives"]
        for insert in content["inserts"]:
            if not insert["scales"]:
                del insert["scales"]
            if insert["window"] is not None and insert["window"]["calendar"] is None:
                del insert["window"]["calendar"]
        return json.dumps(_FORMAT.stamped(content), indent=1, ensure_ascii=False).encode()

    @classmethod
    def read(cls, file: StorePath) -> Outline | None:
        """The outline of a home, None if it has none. Raises HomeError if it can't be read, or if a newer version wrote
        it."""
        try:
            return read_record(file, _FORMAT, cls, _MOST_BYTES)
        except FileNotFoundError:
            return None
