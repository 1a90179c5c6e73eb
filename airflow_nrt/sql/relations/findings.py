"""What planning has found so far: the sources with the columns that are read, the operators, the inserts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.asked_partitions import PartitionFilter, any_of
from airflow_nrt.model.internal_columns import CLOCK, IDENTITY, SOURCE_HIDDEN
from airflow_nrt.model.operators import ROWS_COME, Query, Regroup, WindowAggregate
from airflow_nrt.model.plan import Insert, Lookup, Source, below, together
from airflow_nrt.model.result_timing import AT_ONCE, OutputOptions, Rows
from airflow_nrt.model.tables import Table
from airflow_nrt.model.updating import Updating
from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.relations.planned_queries import PlannedQueries
from airflow_nrt.sql.relations.relation import Relation


@dataclass(frozen=True)
class Values:
    """The columns of an operator's input, as expressions over the rows of a `source`, which has their WHERE."""

    columns: Mapping[str, Typed]
    hidden: tuple[str, ...]
    source: str

    @property
    def query(self) -> str:
        """Its SQL: "SELECT `shop` AS `k0`, `price` AS `v0`, _nrt_ts FROM `orders` WHERE (`price` > 2)"."""
        items = [f"{typed.sql} AS {quote(name)}" for name, typed in self.columns.items()]
        return f"SELECT {', '.join([*items, *self.hidden])} FROM {self.source}"


@dataclass(frozen=True)
class Boundless:
    """Why rows change for ever: `what` the query does, and the `clause` that would give it an end.

    `bounds` are other clauses and options, with which the rows change for ever but the state does not grow.
    """

    what: str
    clause: str
    at: Place
    bounds: tuple[str, ...] = ()


@dataclass
class Findings:
    """The parts of a plan, each added where its clause is planned."""

    read: dict[str, Table] = field(default_factory=dict)
    used: dict[str, set[str]] = field(default_factory=dict)
    operators: list[WindowAggregate] = field(default_factory=list)
    values: dict[str, Values] = field(default_factory=dict)
    """By operator, the columns of its input, for operators that several queries may share."""
    regroups: list[Regroup] = field(default_factory=list)
    updating: list[Updating] = field(default_factory=list)
    boundless: dict[str, Boundless] = field(default_factory=dict)
    endless: dict[str, Boundless] = field(default_factory=dict)
    """By window operator, why it keeps every key for ever."""
    numbered: dict[str, Boundless] = field(default_factory=dict)
    """By the SQL of rows that are numbered in the order of arrival, why all of their keys are kept, if they are."""
    inserts: list[Insert] = field(default_factory=list)
    partitions: dict[str, list[PartitionFilter | None]] = field(default_factory=dict)
    """By source, the partitions of each of its readers. None is all of them."""
    timing: OutputOptions = AT_ONCE
    """The timing of the insert whose operators are being planned."""
    queries: PlannedQueries = field(default_factory=PlannedQueries)
    """The queries that were planned, with their relations."""
    dimensions: dict[str, Table] = field(default_factory=dict)
    looked_up: dict[str, set[str]] = field(default_factory=dict)
    """By dimension table, the columns that lookup joins read."""
    clocked: dict[str, None] = field(default_factory=dict)
    """The window operators whose processing time of firing is read."""
    idle: dict[str, str] = field(default_factory=dict)
    """The parts of queries without an effect, and the reasons."""
    drops_null: bool = False
    """Whether a sink leaves out a row with a NULL for a column that is NOT NULL."""
    idle_ttl: int | None = None
    """How long the first rows of a key below a window are kept, in milliseconds of event time; None: for ever."""
    identifies: bool = True
    """Whether a query may need what identifies a row of a source. Reports that do not pay for that say so."""

    def copy(self) -> Findings:
        """A copy, to which other queries can be added."""
        return replace(
            self,
            read=dict(self.read),
            used={name: set(columns) for name, columns in self.used.items()},
            operators=list(self.operators),
            values=dict(self.values),
            regroups=list(self.regroups),
            updating=list(self.updating),
            boundless=dict(self.boundless),
            endless=dict(self.endless),
            numbered=dict(self.numbered),
            inserts=list(self.inserts),
            queries=self.queries.copy(),
            clocked=dict(self.clocked),
            idle=dict(self.idle),
            dimensions=dict(self.dimensions),
            looked_up={name: set(columns) for name, columns in self.looked_up.items()},
        )

    @property
    def hidden_of_sources(self) -> tuple[str, ...]:
        """The hidden columns of rows of sources."""
        return (*SOURCE_HIDDEN, IDENTITY) if self.identifies else SOURCE_HIDDEN

    @property
    def size(self) -> int:
        """The number of operators and inserts."""
        return len(self.operators) + len(self.regroups) + len(self.updating) + len(self.inserts)

    def note_source(self, table: Table) -> bool:
        """Notes that a table is read. False if another query reads it with other options."""
        used = self.used.setdefault(table.name, set())
        if table.watermark is not None:
            used.add(table.watermark.column)
            used.update(name for name in table.watermark.reads if table.column(name).is_computed)
        return self.read.setdefault(table.name, table) == table

    def note_lookup(self, table: Table, columns: Iterable[str]) -> bool:
        """Notes which columns of a dimension table a join reads. False if another one reads it with other options."""
        self.looked_up.setdefault(table.name, set()).update(columns)
        return self.dimensions.setdefault(table.name, table) == table

    def note_clocked(self, operator: str) -> None:
        """Notes that a query reads the processing time at which windows of this operator fire."""
        self.clocked[operator] = None

    def note_partitions(self, table: Table, partitions: PartitionFilter | None) -> None:
        """Notes which partitions a reader of a table needs, None for all."""
        self.partitions.setdefault(table.name, []).append(partitions)

    def note_columns(self, relation: Relation, values: Iterable[Typed]) -> None:
        """Notes which columns of a source these expressions read."""
        if relation.scan is None:
            return
        names = frozenset().union(*(value.columns for value in values))
        self.used[relation.scan].update(name for name in names if relation.column(name).role is None)

    def note_all_columns(self, relation: Relation) -> None:
        if relation.scan is not None:
            self.used[relation.scan].update(column.name for column in relation.columns if column.role is None)

    def share_operator(self, operator: WindowAggregate) -> WindowAggregate:
        """The known operator that equals this one, so that two inserts share it. Else this one, under a new name."""
        operator = self.timed(operator)
        for known in self.operators:
            if replace(operator, name=known.name) == known:
                return known
        return self.name_operator(operator)

    def timed(self, operator: WindowAggregate) -> WindowAggregate:
        """The operator with the delay and the aggregate that the timing of the insert needs."""
        operator = replace(operator, delay=self.timing.final)
        if isinstance(self.timing.update_rate, Rows) and not operator.keeps_rows:
            operator = replace(operator, aggregates=(*operator.aggregates, ROWS_COME))
        return operator

    def name_operator(self, operator: WindowAggregate) -> WindowAggregate:
        """A new operator, under a name of its own."""
        named = replace(operator, name=f"w{len(self.operators) + 1}")
        self.operators.append(named)
        return named

    def share_regroup(self, regroup: Regroup) -> Regroup:
        """As `share_operator`."""
        for known in self.regroups:
            if replace(regroup, name=known.name) == known:
                return known
        named = replace(regroup, name=f"g{len(self.regroups) + 1}")
        self.regroups.append(named)
        return named

    def share_updating(self, operator: Updating, boundless: Boundless) -> Updating:
        """As `share_operator`. Raises NotThereYet if an input is constant, so that no row ever arrives."""
        if any(not query.inputs for query in operator.inputs):
            raise NotThereYet(f"{boundless.what} over VALUES", boundless.at)
        for known in self.updating:
            if replace(operator, name=known.name) == known:
                return known
        named = replace(operator, name=f"u{len(self.updating) + 1}")
        self.updating.append(named)
        self.boundless[named.name] = boundless
        return named

    def sources_of(self, relation: Relation) -> tuple[str, ...]:
        """The sources whose rows a relation has. None if it has results of operators."""
        return tuple(name for name in relation.inputs if name in self.read)

    def operators_below(self, inputs: tuple[str, ...]) -> tuple[str, ...]:
        """The window operators whose results these inputs are."""
        if any(name in self.read or name in self.boundless for name in inputs):
            return ()
        return below(Query("", inputs, ()), tuple(self.regroups))

    def tables_below(self, inputs: Iterable[str]) -> tuple[Table, ...]:
        """The tables that these inputs depend on, through any number of operators."""
        steps = {one.name: one.inputs for one in self.updating}
        steps |= {one.name: (one.input,) for one in self.operators}
        steps |= {one.name: (one.input,) for one in self.regroups}
        waiting, visited = list(inputs)[::-1], {}
        while waiting:
            name = waiting.pop()
            if name not in visited:
                visited[name] = self.read.get(name)
                below = () if name in self.read else steps.get(name, ())
                waiting += [inner for query in below for inner in query.inputs][::-1]
        return tuple(table for table in visited.values() if table is not None)

    def timed_operators(self) -> tuple[WindowAggregate, ...]:
        """The operators with the sources whose watermarks they wait for. OVER below a window is strict."""
        clocks = {operator.name: set(operator.clock or operator.sources) for operator in self.operators}
        groups = together(self.operators, tuple(self.regroups), self.inserts, self.updating)
        changed = True
        while changed:
            before = {name: set(clock) for name, clock in clocks.items()}
            for operator in self.operators:
                for upstream in () if operator.sources else self.operators_below(operator.input.inputs):
                    clocks[operator.name] |= clocks[upstream]
            for group in groups:
                joined = set().union(*(clocks[name] for name in group))
                for name in group:
                    clocks[name] = set(joined)
            changed = before != clocks
        known = (*self.read, CLOCK)
        # These operators read the results of others. A row that OVER passes on after its watermark is late for them.
        below = {name for one in self.operators if not one.sources for name in self.operators_below(one.input.inputs)}
        return tuple(
            replace(
                one,
                clock=tuple(n for n in known if n in clocks[one.name]),
                strict=one.strict or (bool(one.frames) and one.name in below),
            )
            for one in self.operators
        )

    def sources(self, zone: str | None) -> tuple[Source, ...]:
        """The sources with the columns that are read; `zone` is the session's."""
        return tuple(
            Source(
                table,
                tuple(c.name for c in table.columns if c.name in self.used[table.name]),
                zone if _has_instants(table) else None,
                any_of(self.partitions.get(table.name, ())),
                drops_null=self.drops_null,
                identified=self.identifies,
            )
            for table in self.read.values()
        )

    def used_tables(self) -> set[str]:
        """The names of the tables that the inserts read and write."""
        return {*self.read, *self.dimensions, *(one.sink.name for one in self.inserts)}

    def lookups(self) -> tuple[Lookup, ...]:
        """The dimension tables with the columns that are read."""
        return tuple(
            Lookup(table, tuple(c.name for c in table.columns if c.name in self.looked_up[table.name]))
            for table in self.dimensions.values()
        )


def _has_instants(table: Table) -> bool:
    return table.watermark is not None and table.column(table.watermark.column).type.name == "TIMESTAMP_LTZ"
