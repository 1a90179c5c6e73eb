"""The plan: what a report computes, as data. The SQL front end makes it; the stream and the batch driver execute it.

A plan has sources, operators and inserts. Stateless Spark SQL (`Query`) connects them, and combines rows of one source
or rows of one window. Each operator reads only sources and operators before it in the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.spark_needs import with_needed
from airflow_nrt.model.arithmetic_errors import NULL_FUNCTION, are_null
from airflow_nrt.model.asked_partitions import PartitionFilter
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.internal_columns import CLOCK
from airflow_nrt.model.operators import Query, Regroup, WindowAggregate
from airflow_nrt.model.options.known import REJECTED_LIMIT, SPARK_PREFIX, TIME_ZONE
from airflow_nrt.model.options.settings import SECRET_NAMES, Settings
from airflow_nrt.model.origins import Origin
from airflow_nrt.model.required_columns import RequiredColumns
from airflow_nrt.model.result_timing import AT_ONCE, OutputOptions
from airflow_nrt.model.row_semantics import texts
from airflow_nrt.model.skipped_row import SkippedRow
from airflow_nrt.model.steps import Step
from airflow_nrt.model.tables import Table
from airflow_nrt.model.updating import Updating
from airflow_nrt.model.windows import Window
from airflow_nrt.model.zones import foreign_zone
from airflow_nrt.program.functions import PythonFunction
from airflow_nrt.program.program import Built


@dataclass(frozen=True)
class Insert:
    """A query written to a sink.

    `operators` are the window operators whose windows the rows belong to, `window` the windowing that these share. Rows
    without windows are published as they arrive. `key` are the sink columns that are unique within a window (of rows
    that change: among all rows); None if they are not written. With `changes` the query gives the rows before and after
    each batch (`_nrt_after`), and their difference is written. `order` is SQL by which the rows of a window are sorted,
    or all rows that are published together; columns only for sorting are not among the query's fields. `timing` says
    when windows are published, and how often. `end_column` is the sink column with the window's end, if one is written.
    `selected` is SQL of its rows before they are cast to the columns of the sink. `meaning` is what the query computes,
    clause by clause; `steps` describe it for people. `required` are the columns that its query checks for NULL.
    """

    name: str
    sink: Table
    query: Query = field(metadata=METADATA)
    operators: tuple[str, ...] = field(metadata=METADATA)
    window: Window | None
    key: tuple[str, ...] | None
    changes: bool = False
    order: tuple[str, ...] = field(default=(), metadata=METADATA)
    timing: OutputOptions = field(default=AT_ONCE, metadata=METADATA)
    end_column: str | None = field(default=None, metadata=METADATA)
    selected: str = field(default="", compare=False, metadata=METADATA)
    meaning: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    steps: tuple[Step, ...] = field(default=(), compare=False, metadata=METADATA)
    required: RequiredColumns | None = field(default=None, compare=False, metadata=METADATA)

    @property
    def with_null_keys(self) -> Insert:
        """The same in a home that may have rows with NULL in a PRIMARY KEY."""
        if self.required is None:
            return self
        required = self.required.with_null_keys
        return replace(self, query=required.enforced, required=required)

    @property
    def without_nulls(self) -> Insert:
        """The same, which leaves out rows with a NULL in a NOT NULL column, also where they would be an error."""
        return self if self.required is None else replace(self, query=self.required.dropping)

    @property
    def emits_changes(self) -> bool:
        """Whether it publishes a changelog; for a window, the differences of a version from the one before."""
        connector = connector_of(self.sink)
        versions = not self.timing.publishes_once and not connector.replaces_windows
        return connector.takes_changes_as_such(self.sink) and (self.changes or versions)

    @property
    def replaces_table(self) -> bool:
        """Whether its sink has one file for each partition, which is replaced when rows of it change."""
        return self.changes and connector_of(self.sink).replaces_rows(self.sink)


@dataclass(frozen=True)
class Archive:
    """A table with what a stream has read of a source (`model/archive.py`).

    It is `written` by the stream, with this insert; or else by others, who don't say when a row arrived.
    """

    insert: Insert
    written: bool


@dataclass(frozen=True)
class Source:
    """A table that is read, and the columns (physical and computed) that the plan reads.

    `zone` is set where the rowtime is an instant (TIMESTAMP_LTZ) and windows are on another clock than UTC's.
    `partitions` are those that its readers ask for, None for all. A batch reads no others. A stream reads all, because
    every row moves the watermark. Backfill and verification read the `archive`, if there is one. A row with a number
    that does not fit a DECIMAL NOT NULL is left out if it `drops_null`. Rows that are `skipped` are left out whatever
    they are. The insert `rejected_into` writes those that can't be read into a table (`model/input/rejected_rows.py`).
    Rows that are `identified` have what identifies them, which UUID() reads.
    """

    table: Table
    columns: tuple[str, ...] = field(metadata=METADATA)
    zone: str | None = None
    partitions: PartitionFilter | None = field(default=None, metadata=METADATA)
    archive: Archive | None = field(default=None, metadata=METADATA)
    drops_null: bool = field(default=False, metadata=METADATA)
    skipped: tuple[SkippedRow, ...] = field(default=(), metadata=METADATA)
    rejected_into: Insert | None = field(default=None, metadata=METADATA)
    identified: bool = field(default=False, metadata=METADATA)

    @property
    def name(self) -> str:
        return self.table.name

    @property
    def strict(self) -> Source:
        """The source without a limit of rejected rows: where no stream counts them, the first one is an error."""
        return replace(self, table=replace(self.table, options={**self.table.options, REJECTED_LIMIT: "0"}))

    @property
    def is_archived(self) -> bool:
        """Whether the stream writes what it has read into an archive."""
        return self.archive is not None and self.archive.written

    @property
    def physical(self) -> tuple[str, ...]:
        """The physical columns that must be parsed for the plan's columns, in the table's order."""
        wanted = set(self.columns) | set(self.table.watermark.reads if self.table.watermark else ())
        for column in self.table.columns:
            if column.is_computed and column.name in wanted:
                wanted |= set(column.reads)
        return tuple(column.name for column in self.table.physical if column.name in wanted)


@dataclass(frozen=True)
class Lookup:
    """A dimension table, and its columns that rows of sources are joined with."""

    table: Table
    columns: tuple[str, ...] = field(metadata=METADATA)

    @property
    def name(self) -> str:
        return self.table.name

    @property
    def read(self) -> Source:
        """The table as a source, whose rows have no time. No row of it is left out: its joins would lack a partner."""
        return Source(replace(self.table, watermark=None), self.columns).strict


@dataclass(frozen=True)
class Plan:
    """A whole report. `settings` are the values of SET. `script` is the text of the report, `given` are the values of
    its placeholders.

    Relative paths of tables start at the directory `base`, which may also hold the modules of Python `functions`. A
    program has no script: `built` says how it was built. `idle` are statements and hints without an effect, each with
    the reason, `reserved` names that Flink takes only in back-quotes.
    """

    name: str = field(metadata=METADATA)
    sources: tuple[Source, ...]
    operators: tuple[WindowAggregate, ...]
    regroups: tuple[Regroup, ...]
    inserts: tuple[Insert, ...]
    settings: tuple[tuple[str, str], ...]
    script: str = field(metadata=METADATA)
    base: str = field(metadata=METADATA)
    updating: tuple[Updating, ...] = ()
    functions: tuple[PythonFunction, ...] = ()
    built: Built | None = field(default=None, metadata=METADATA)
    given: Settings = field(default=Settings(), metadata=METADATA)
    idle: tuple[tuple[str, str], ...] = field(default=(), compare=False, metadata=METADATA)
    reserved: tuple[str, ...] = field(default=(), compare=False, metadata=METADATA)
    origins: tuple[Origin, ...] = field(default=(), compare=False, repr=False, metadata=METADATA)
    """The places of its SQL in the report, for messages of errors."""
    lookups: tuple[Lookup, ...] = ()
    clocked: tuple[str, ...] = field(default=(), metadata=METADATA)
    """The window operators whose processing time of firing is read."""
    by_entry: Plan | None = field(default=None, compare=False, repr=False, metadata=METADATA)
    """The plan for rows of entries that differ in their row semantics; None if it has no SQL that differs by them."""

    @property
    def tables_read(self) -> tuple[Table, ...]:
        """The tables of its sources and of their past, and its dimension tables."""
        return (
            *(source.table for source in self.sources),
            *(one.table.history.table for one in self.sources if one.table.history is not None),
            *(lookup.table for lookup in self.lookups),
        )

    @property
    def ends(self) -> bool:
        """Whether its input ends: no source waits for more rows."""
        return not any(connector_of(source.table).is_live(source.table) for source in self.sources)

    def source(self, name: str) -> Source:
        return next(source for source in self.sources if source.name == name)

    def operator(self, name: str) -> WindowAggregate:
        return next(operator for operator in self.operators if operator.name == name)

    def insert(self, name: str) -> Insert:
        return next(insert for insert in self.written if insert.name == name)

    @property
    def written(self) -> tuple[Insert, ...]:
        """The inserts, and those by which a stream writes archives and tables of rejected rows."""
        archives = (source.archive for source in self.sources if source.is_archived)
        # Several sources may have one table.
        rejected = {one.rejected_into.name: one.rejected_into for one in self.sources if one.rejected_into is not None}
        return (*self.inserts, *(one.insert for one in archives if one is not None), *rejected.values())

    def setting(self, name: str) -> str | None:
        return dict(self.settings).get(name)

    @property
    def spark_settings(self) -> dict[str, str]:
        """The settings of Spark, also those that its connectors need, and the names that Spark redacts in its pages and
        its event log.

        Raises InputError if two tables need different values of one.
        """
        named = "|".join(map(re.escape, self.given.masked))
        hidden = {"spark.redaction.regex": f"(?i){SECRET_NAMES}|^(?-i:{named})$"} if named else {}
        own = {key: value for key, value in self.settings if key.startswith(SPARK_PREFIX)}
        needed = {table.name: connector_of(table).spark_settings(table) for table in self.tables}
        return {**hidden, **with_needed(own, needed)}

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables that it reads, then those that it writes to."""
        return (*self.tables_read, *(insert.sink for insert in self.written))

    @property
    def jars(self) -> tuple[str, ...]:
        """What the connectors of its tables need beside Spark, by the names of `basics/jars.py`."""
        return tuple(dict.fromkeys(name for table in self.tables for name in connector_of(table).jars(table)))

    @cached_property
    def counts_nulls(self) -> bool:
        """Whether its SQL counts values that are NULL: they can't be computed, or do not fit a DECIMAL."""
        operators = (*self.operators, *self.regroups, *self.updating)
        return (
            are_null(self.settings)
            or any(call.may_be_too_large for one in operators for call in one.calls)
            or any(f"{NULL_FUNCTION}(" in text for text in texts(self))
        )

    @property
    def zone(self) -> str | None:
        """The zone of the report's clock, None for UTC."""
        return foreign_zone(self.setting(TIME_ZONE) or "UTC")

    @cached_property
    def zones(self) -> dict[str, str]:
        """The zones of sources whose rowtimes are instants and whose windows are on another clock than UTC's."""
        zones = {source.name: source.zone for source in self.sources if source.zone is not None}
        return zones if self.zone is None or not self.waits_for_clock else {**zones, CLOCK: self.zone}

    @cached_property
    def waits_for_clock(self) -> bool:
        """Whether there are windows over processing time."""
        return any(CLOCK in operator.clock for operator in self.operators)

    @property
    def keeps_clock(self) -> bool:
        """Whether results depend on the processing time of batches, so that it must not go back."""
        return self.waits_for_clock or bool(self.lookups) or bool(self.clocked)

    def is_read_by_clock(self, source: str) -> bool:
        """Whether windows over processing time hold rows of this source. Then rowtimes don't decide which rows."""
        return any(CLOCK in operator.clock for operator in self.readers(source))

    def readers(self, source: str) -> tuple[WindowAggregate, ...]:
        """The operators that absorb the rows of this source."""
        return tuple(operator for operator in self.operators if source in operator.sources)

    @cached_property
    def versioned(self) -> tuple[Insert, ...]:
        """The inserts whose windows have several versions."""
        return tuple(insert for insert in self.inserts if not insert.timing.publishes_once)

    @cached_property
    def throttled(self) -> tuple[Insert, ...]:
        """The inserts whose changes are held back for an interval, or for a number of rows."""
        return tuple(insert for insert in self.inserts if insert.changes and insert.timing.update_rate is not None)

    def regroup(self, name: str) -> Regroup | None:
        return next((regroup for regroup in self.regroups if regroup.name == name), None)

    @cached_property
    def groups(self) -> tuple[frozenset[str], ...]:
        """The sets of window operators that fire together, because a query combines their windows."""
        return together(self.operators, self.regroups, self.inserts, self.updating)

    def below(self, query: Query) -> tuple[str, ...]:
        """The window operators whose windows a query reads, directly or through regroups."""
        return below(query, self.regroups)

    def sources_of(self, query: Query) -> frozenset[str]:
        """The sources whose rows a query depends on, through any number of operators."""
        return frozenset().union(*map(self._sources_under, query.inputs))

    def _sources_under(self, name: str) -> frozenset[str]:
        if any(source.name == name for source in self.sources):
            return frozenset([name])
        updating = next((one for one in self.updating if one.name == name), None)
        if updating is not None:
            return frozenset().union(*map(self.sources_of, updating.inputs))
        step = self.regroup(name) or self.operator(name)
        return self.sources_of(step.input)

    def absorbing(self, insert: Insert) -> tuple[str, ...]:
        """The operators that absorb the rows of sources for an insert, through any number of windows."""
        found: dict[str, None] = {}
        waiting = list(insert.operators)
        while waiting:
            operator = self.operator(waiting.pop())
            if operator.sources:
                found[operator.name] = None
            else:
                waiting += self.below(operator.input)
        return tuple(found)

    def passing(self, source: str) -> tuple[Insert, ...]:
        """The inserts that publish rows of this source as they arrive."""
        return tuple(insert for insert in self.inserts if not insert.operators and source in insert.query.inputs)

    def updated_by(self, source: str) -> tuple[Updating, ...]:
        """The updating operators that absorb the rows of this source."""
        return tuple(one for one in self.updating if any(source in query.inputs for query in one.inputs))

    def updated_through(self, source: str) -> tuple[Query, ...]:
        """The queries by which updating operators read this source, once for each time that one does."""
        return tuple(query for one in self.updating for query in one.inputs if source in query.inputs)

    def fed_by(self, operator: str) -> tuple[Insert, ...]:
        """The inserts that publish the windows of this operator."""
        return tuple(insert for insert in self.inserts if operator in insert.operators)

    def rows_until(self, end: int) -> int:
        """The rowtime (ms) that is after all rows of windows that end at `end` or before."""
        return max((operator.rows_until(end) for operator in self.operators), default=end)

    def first_rows(self, operator: str, after: int) -> dict[str, int]:
        """By source, the earliest rowtime (ms) in the windows of this operator that end after `after`."""
        one = self.operator(operator)
        earliest = one.earliest_row(after)
        found = dict.fromkeys(one.sources, earliest)
        for upstream in () if one.sources else self.below(one.input):
            for source, at in self.first_rows(upstream, earliest).items():
                found[source] = min(at, found.get(source, at))
        return found


def below(query: Query, regroups: tuple[Regroup, ...]) -> tuple[str, ...]:
    """The window operators whose windows a query reads, directly or through these regroups."""
    known = {regroup.name: regroup for regroup in regroups}
    found: dict[str, None] = {}
    for name in query.inputs:
        found.update(dict.fromkeys(below(known[name].input, regroups) if name in known else (name,)))
    return tuple(found)


def together(
    operators: Sequence[WindowAggregate],
    regroups: tuple[Regroup, ...],
    inserts: Iterable[Insert],
    updating: Iterable[Updating],
) -> tuple[frozenset[str], ...]:
    """The sets of two or more window operators whose windows some query combines."""
    queries = [
        *(o.input for o in operators if not o.sources),
        *(insert.query for insert in inserts if insert.operators),
        *(query for o in updating for query in o.inputs),
    ]
    windowed = {operator.name for operator in operators}
    groups: list[frozenset[str]] = []
    for names in (frozenset(windowed.intersection(below(query, regroups))) for query in queries):
        joined = names.union(*(group for group in groups if group & names))
        groups = [*(group for group in groups if not group & names), joined]
    return tuple(group for group in groups if len(group) > 1)


def with_given(plan: Plan, given: Settings) -> Plan:
    """The plan with the values that come in addition to its script. Raises InputError where a table lacks some."""
    sources = (replace(one, table=connector_of(one.table).completed(one.table, given)) for one in plan.sources)
    lookups = (replace(one, table=connector_of(one.table).completed(one.table, given)) for one in plan.lookups)
    inserts = (replace(one, sink=connector_of(one.sink).completed(one.sink, given)) for one in plan.inserts)
    both = plan.by_entry and with_given(plan.by_entry, given)
    tables = {"sources": tuple(sources), "lookups": tuple(lookups), "inserts": tuple(inserts)}
    return replace(plan, **tables, given=given, by_entry=both)  # type: ignore[arg-type]
