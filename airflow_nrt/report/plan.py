"""The plan: what a report computes, as data. The SQL front end makes it, the stream and the batch driver execute it.

A plan is a list of sources, of operators and of inserts. Between them stands only stateless SQL (`Query`), which
combines rows of one source, or rows of one window; it is Spark SQL already. Operators stand in the order in which each
reads only those before it.

Hidden columns carry what the engine needs through that SQL:

    _nrt_row    struct      the source's columns that the plan reads, for the late ledger
    _nrt_seen   bigint      the operator's watermark (ms) at the beginning of the row's batch, NULL if nothing is late
    _nrt_batch  bigint      which batch that was, in their order; NULL where only one is looked at
    _nrt_pos    struct      where the row stood on arrival: file, block, row, path
    _nrt_ts     bigint      the rowtime in milliseconds
    _nrt_absorbed  struct   when its batch was: the processing time (`clock`), and its source's `watermark` before
    _nrt_end    bigint      the end (ms) of the window of a result
    _nrt_start  bigint      its start, of SESSION only: of other windows it follows from the end
    _nrt_after  boolean     of rows that change: whether this is how a row stands behind the batch, or stood before it
    _nrt_key    string      of rows that change: what a row before and a row behind the batch have in common
    _nrt_alive  boolean     of rows in the state behind an updating operator: whether they were not taken back
    _nrt_side   string      of rows below an updating join: L or R

Rowtimes, ends and `_nrt_seen` are on the clock of the windows: over TIMESTAMP_LTZ the wall clock of the session's zone,
not instants.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from airflow_nrt.report.errors import STOP_MARK
from airflow_nrt.report.functions import PythonFunction
from airflow_nrt.report.options import TIME_ZONE
from airflow_nrt.report.tables import Table
from airflow_nrt.report.types import DataType, Field
from airflow_nrt.report.windows import Window
from airflow_nrt.report.zones import foreign_zone

ROWTIME = "_nrt_ts"
POSITION = "_nrt_pos"
ABSORBED = "_nrt_absorbed"
SEEN, BATCH = "_nrt_seen", "_nrt_batch"
SOURCE_HIDDEN = ("_nrt_row", SEEN, BATCH, POSITION, ROWTIME, ABSORBED)
WINDOW_START, WINDOW_END = "_nrt_start", "_nrt_end"
AFTER, KEY, ALIVE = "_nrt_after", "_nrt_key", "_nrt_alive"
CHANGE_HIDDEN = (AFTER, KEY)
SIDE, LEFT, RIGHT = "_nrt_side", "L", "R"
VARIANCES = ("STDDEV_POP", "STDDEV_SAMP", "VAR_POP", "VAR_SAMP")

CLOCK = "_nrt_clock"
"""Processing time, among the sources that an operator waits for: its watermark is the last millisecond that passed."""
CLOCK_SQL = (
    f"coalesce({ABSORBED}.clock, raise_error('{STOP_MARK}no stream has absorbed this row, it has no PROCTIME()'))"
)
"""The processing time (ms) of a row."""


def key_of(columns: Sequence[str]) -> str:
    """SQL of `_nrt_key` for these columns: equal where all of them are, NULL being equal to NULL."""
    whole = "'yyyy-MM-dd HH:mm:ss.SSSSSS'"
    options = f"map('timestampFormat', {whole}, 'timestampNTZFormat', {whole})"
    return f"to_json(struct({', '.join(columns)}), {options})" if columns else "''"


@dataclass(frozen=True)
class Query:
    """Stateless Spark SQL over named inputs: sources or operators of the plan. `fields` are its visible columns."""

    sql: str
    inputs: tuple[str, ...]
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Source:
    """A table that is read, and which of its columns (physical and computed) the plan reads.

    `zone` is set where the rowtime is an instant (TIMESTAMP_LTZ) and windows lie on another clock than UTC's.
    """

    table: Table
    columns: tuple[str, ...]
    zone: str | None = None

    @property
    def name(self) -> str:
        return self.table.name

    @property
    def physical(self) -> tuple[str, ...]:
        """The physical columns that must be parsed for these, in the table's order."""
        wanted = set(self.columns) | set(self.table.watermark.reads if self.table.watermark else ())
        for column in self.table.columns:
            if column.is_computed and column.name in wanted:
                wanted |= set(column.reads)
        return tuple(column.name for column in self.table.physical if column.name in wanted)


@dataclass(frozen=True)
class AggregateCall:
    """One aggregate of a window operator.

    `argument` and `filter` name columns of the operator's input query; `argument` is None for COUNT(*), a ROW where the
    aggregate is taken of several values at once. `parameters` are further constants (the separator of LISTAGG). `text`
    is the call as the report writes it.
    """

    name: str
    function: str
    argument: str | None
    argument_type: DataType | None
    filter: str | None
    distinct: bool
    type: DataType
    text: str
    parameters: tuple[str, ...] = ()

    @property
    def is_of_set(self) -> bool:
        """Whether it is taken over a distinct set of its operator, where a value enters and leaves a window once.

        Others are distinct by themselves: they hold values, and pass over the repeated ones when they finish. So do
        variances of what is summed as DOUBLE, from which a large value does not leave without a trace.
        """
        exact = self.argument_type is not None and self.argument_type.is_whole
        return self.distinct and (self.function in ("COUNT", "SUM", "AVG") or (self.function in VARIANCES and exact))


@dataclass(frozen=True)
class RowFrame:
    """The rows that an OVER aggregate looks at: those of equal `partition`, which are keys of the operator.

    `unit` is ROWS or RANGE. From `low` rows or milliseconds before the current row (None: all) up to `high`.
    """

    partition: tuple[str, ...]
    unit: str
    low: int | None
    high: int = 0


def distinct_sets(calls: Iterable[AggregateCall]) -> tuple[tuple[str, str | None], ...]:
    """The (argument, filter) pairs whose distinct values are counted or summed, each pair once."""
    return tuple(dict.fromkeys((call.argument or "", call.filter) for call in calls if call.is_of_set))


@dataclass(frozen=True)
class WindowAggregate:
    """GROUP BY window_start, window_end and keys over one windowing function.

    The input query gives the key columns, the arguments, the filters, `_nrt_ts` and the hidden columns of its source.
    Its result has the keys, `window_start`, `window_end`, `window_time`, one column an aggregate, and `_nrt_end`.

    `sources` are the sources whose rows it absorbs; none if it absorbs the windows of other operators, as they fire.
    `clock` are the sources whose watermarks it waits for: with its own those of all that it must fire together with.
    Windows over processing time wait for `CLOCK`; their rows have it as their rowtime, so that none is late.
    With `keeps_rows` the keys are all columns of a row and its position: its windows hold the rows themselves.
    `partition` are the keys that each have sessions of their own.

    Of OVER, too, the keys are all columns of a row; each of the `aggregates` looks at its one of the `frames`, and the
    result has no window columns. Late is what comes behind a row of its `partition` that has fired; if it is `strict`,
    what comes behind the watermark.
    """

    name: str
    input: Query
    sources: tuple[str, ...]
    window: Window
    keys: tuple[Field, ...]
    aggregates: tuple[AggregateCall, ...]
    rowtime_type: DataType
    clock: tuple[str, ...] = ()
    keeps_rows: bool = False
    partition: tuple[str, ...] = ()
    frames: tuple[RowFrame, ...] = ()
    strict: bool = False

    @property
    def distinct_sets(self) -> tuple[tuple[str, str | None], ...]:
        """The (argument, filter) pairs of its distinct aggregates, each once."""
        return distinct_sets(self.aggregates)


@dataclass(frozen=True)
class Regroup:
    """GROUP BY window_start, window_end and keys over the results of windows. It keeps nothing: a window is whole.

    The input query gives the key columns, the arguments, the filters and `_nrt_end`; the result is that of a
    `WindowAggregate`.
    """

    name: str
    input: Query
    window: Window
    keys: tuple[Field, ...]
    aggregates: tuple[AggregateCall, ...]
    rowtime_type: DataType

    @property
    def distinct_sets(self) -> tuple[tuple[str, str | None], ...]:
        """As of a `WindowAggregate`."""
        return distinct_sets(self.aggregates)


@dataclass(frozen=True)
class UpdatingAggregate:
    """GROUP BY keys without a window: one row a group, over all rows so far. The row changes as more rows come.

    The input query gives the key columns, the arguments, the filters and where rows stood on arrival. With `changing`
    its rows change themselves: it gives `_nrt_after` and `_nrt_key`, and `arguments` are all its columns but keys.
    The result has the keys, one column an aggregate, `_nrt_after` and `_nrt_key`, for groups that a batch touches.
    """

    name: str
    input: Query
    keys: tuple[Field, ...]
    aggregates: tuple[AggregateCall, ...]
    arguments: tuple[str, ...] = ()
    changing: bool = False

    @property
    def inputs(self) -> tuple[Query, ...]:
        return (self.input,)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The visible columns of its result."""
        return (*self.keys, *(Field(call.name, call.type) for call in self.aggregates))


@dataclass(frozen=True)
class FramedCall:
    """An aggregate of the rows in a frame; `over` is SQL of the window specification."""

    call: AggregateCall
    over: str


@dataclass(frozen=True)
class UpdatingRows:
    """Columns computed over all rows of a partition so far: Top-N, deduplication and OVER without a window.

    The input query gives the key columns (what the rows are partitioned by), `columns`, and `p`, by which a row is
    known again; with `changing` also `_nrt_after`. `computed` are SQL over the rows of one partition at one time,
    `framed` are aggregates over them. With a `limit` only rows whose one computed column is not above it are kept: no
    other can come down to it again. `identity` is the SQL of `_nrt_key`. The result has the columns, what is computed,
    `_nrt_after` and `_nrt_key`, for partitions that a batch touches.
    """

    name: str
    input: Query
    keys: tuple[Field, ...]
    columns: tuple[Field, ...]
    computed: tuple[tuple[Field, str], ...]
    identity: str
    limit: int | None = None
    changing: bool = False
    framed: tuple[FramedCall, ...] = ()

    @property
    def inputs(self) -> tuple[Query, ...]:
        return (self.input,)

    @property
    def fields(self) -> tuple[Field, ...]:
        """As of an `UpdatingAggregate`."""
        framed = (Field(one.call.name, one.call.type) for one in self.framed)
        return (*self.columns, *(field for field, _ in self.computed), *framed)


@dataclass(frozen=True)
class JoinSide:
    """What one side of an `UpdatingJoin` reads, and its columns there.

    The query gives `_nrt_side`, the key columns, the columns of both sides (NULL for those of the other), `_nrt_after`
    and `_nrt_key`; where rows are not `changing`, all of them stand behind the batch.
    """

    input: Query
    columns: tuple[Field, ...]
    changing: bool


@dataclass(frozen=True)
class UpdatingJoin:
    """A regular join: rows of two sides meet whenever they come.

    They meet where their `keys` are equal and the `condition` holds, SQL over the columns of both; `text` is how the
    report writes it. `kind` is INNER, LEFT, RIGHT or FULL. The result has the columns of the left side, then of the
    right, `_nrt_after` and `_nrt_key`.
    """

    name: str
    left: JoinSide
    right: JoinSide
    keys: tuple[Field, ...]
    condition: str
    kind: str
    text: str

    @property
    def inputs(self) -> tuple[Query, ...]:
        return (self.left.input, self.right.input)

    @property
    def fields(self) -> tuple[Field, ...]:
        """As of an `UpdatingAggregate`."""
        return (*self.left.columns, *self.right.columns)

    @property
    def changing(self) -> bool:
        return self.left.changing or self.right.changing

    @property
    def padded(self) -> tuple[str, ...]:
        """The sides whose rows are there with NULLs where they meet nothing."""
        return {"LEFT": (LEFT,), "RIGHT": (RIGHT,), "FULL": (LEFT, RIGHT)}.get(self.kind, ())


Updating = UpdatingAggregate | UpdatingRows | UpdatingJoin
"""An operator whose result is never complete: it publishes what each batch changes of it."""


@dataclass(frozen=True)
class Insert:
    """A query written to a sink.

    `operators` are the window operators whose windows the rows belong to, `window` the windowing that these have in
    common; none if rows are published as they come. `key` are the sink columns that are unique inside a window, None if
    they are not written. With `changes` its rows are those before and behind each batch (`_nrt_after`): what is written
    is the difference. `order` is SQL by which `query` sorts the rows that it prints; then the query's last columns are
    there for this alone, and are not among its fields.
    """

    name: str
    sink: Table
    query: Query
    operators: tuple[str, ...]
    window: Window | None
    key: tuple[str, ...] | None
    changes: bool = False
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """A whole report. `settings` are the values of SET; `script` is the text that this was made from.

    `base` is the directory at which relative paths of its tables start, and where the modules of its Python `functions`
    may stand.
    """

    name: str
    sources: tuple[Source, ...]
    operators: tuple[WindowAggregate, ...]
    regroups: tuple[Regroup, ...]
    inserts: tuple[Insert, ...]
    settings: tuple[tuple[str, str], ...]
    script: str
    base: str
    updating: tuple[Updating, ...] = ()
    functions: tuple[PythonFunction, ...] = ()

    def source(self, name: str) -> Source:
        return next(source for source in self.sources if source.name == name)

    def operator(self, name: str) -> WindowAggregate:
        return next(operator for operator in self.operators if operator.name == name)

    def insert(self, name: str) -> Insert:
        return next(insert for insert in self.inserts if insert.name == name)

    def setting(self, name: str) -> str | None:
        return dict(self.settings).get(name)

    @property
    def zone(self) -> str | None:
        """The zone of the report's clock, None for UTC."""
        return foreign_zone(self.setting(TIME_ZONE) or "UTC")

    @cached_property
    def zones(self) -> dict[str, str]:
        """The sources whose rowtimes are instants and whose windows lie on another clock than UTC's: on this zone's."""
        zones = {source.name: source.zone for source in self.sources if source.zone is not None}
        return zones if self.zone is None or not self.waits_for_clock else {**zones, CLOCK: self.zone}

    @cached_property
    def waits_for_clock(self) -> bool:
        """Whether there are windows over processing time."""
        return any(CLOCK in operator.clock for operator in self.operators)

    def is_read_by_clock(self, source: str) -> bool:
        """Whether windows over processing time hold rows of this source: then no rowtime says which rows they hold."""
        return any(CLOCK in operator.clock for operator in self.readers(source))

    def readers(self, source: str) -> tuple[WindowAggregate, ...]:
        """The operators that absorb the rows of this source."""
        return tuple(operator for operator in self.operators if source in operator.sources)

    def regroup(self, name: str) -> Regroup | None:
        return next((regroup for regroup in self.regroups if regroup.name == name), None)

    @cached_property
    def groups(self) -> tuple[frozenset[str], ...]:
        """The window operators that fire together, where several do: a query combines their windows."""
        return together(self.operators, self.regroups, self.inserts, self.updating)

    def below(self, query: Query) -> tuple[str, ...]:
        """The window operators whose windows a query reads, itself or through regroups."""
        return below(query, self.regroups)

    def absorbing(self, insert: Insert) -> tuple[str, ...]:
        """The operators that absorb the rows of sources for an insert, however many windows stand between."""
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
        """The inserts that publish rows of this source as they come."""
        return tuple(insert for insert in self.inserts if not insert.operators and source in insert.query.inputs)

    def updated_by(self, source: str) -> tuple[Updating, ...]:
        """The updating operators that absorb the rows of this source."""
        return tuple(one for one in self.updating if any(source in query.inputs for query in one.inputs))

    def updated_through(self, source: str) -> tuple[Query, ...]:
        """The queries by which they read it."""
        queries = (query for operator in self.updating for query in operator.inputs)
        return tuple(dict.fromkeys(query for query in queries if source in query.inputs))

    def fed_by(self, operator: str) -> tuple[Insert, ...]:
        """The inserts that publish the windows of this operator."""
        return tuple(insert for insert in self.inserts if operator in insert.operators)

    def rows_until(self, end: int) -> int:
        """The rowtime before which all rows lie that matter to windows ending at or before this."""
        return max((operator.window.rows_until(end) for operator in self.operators), default=end)

    def first_rows(self, operator: str, after: int) -> dict[str, int]:
        """By source the earliest rowtime (ms) in the windows of this operator that end after `after`."""
        one = self.operator(operator)
        earliest = one.window.earliest_row(next(one.window.ends_between(after, after + one.window.stride)))
        found = dict.fromkeys(one.sources, earliest)
        for upstream in () if one.sources else self.below(one.input):
            for source, at in self.first_rows(upstream, earliest).items():
                found[source] = min(at, found.get(source, at))
        return found


def below(query: Query, regroups: tuple[Regroup, ...]) -> tuple[str, ...]:
    """The window operators whose windows a query reads, itself or through these regroups."""
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
    """The sets of window operators, of two or more, whose windows are combined by some query."""
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
