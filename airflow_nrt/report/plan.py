"""The plan: what a report computes, as data. The SQL front end makes it, the stream and the batch driver execute it.

A plan is a list of sources, of window operators and of inserts. Between them stands only stateless SQL (`Query`), which
combines rows of one source or of one window; it is Spark SQL already.

Hidden columns carry what the engine needs through that SQL:

    _nrt_row    struct      the source's columns that the plan reads, for the late ledger
    _nrt_seen   bigint      the watermark (ms) at the beginning of the row's batch, NULL where nothing is late
    _nrt_pos    struct      where the row stood on arrival: file, block, row, path
    _nrt_ts     bigint      the rowtime in milliseconds
    _nrt_end    bigint      the end (ms) of the window of a result
"""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.report.tables import Table
from airflow_nrt.report.types import DataType, Field
from airflow_nrt.report.windows import Window

ROWTIME = "_nrt_ts"
SOURCE_HIDDEN = ("_nrt_row", "_nrt_seen", "_nrt_pos", ROWTIME)
WINDOW_END = "_nrt_end"


@dataclass(frozen=True)
class Query:
    """Stateless Spark SQL over named inputs: sources or operators of the plan. `fields` are its visible columns."""

    sql: str
    inputs: tuple[str, ...]
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Source:
    """A table that is read, and which of its columns (physical and computed) the plan reads."""

    table: Table
    columns: tuple[str, ...]

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

    `argument` and `filter` name columns of the operator's input query; `argument` is None for COUNT(*).
    `parameters` are further constants (the separator of LISTAGG). `text` is the call as the report writes it.
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


@dataclass(frozen=True)
class WindowAggregate:
    """GROUP BY window_start, window_end and keys over one windowing function.

    The input query gives the key columns, the arguments, the filters, `_nrt_ts` and the hidden columns of its source.
    Its result has the keys, `window_start`, `window_end`, `window_time`, one column an aggregate, and `_nrt_end`.
    """

    name: str
    input: Query
    sources: tuple[str, ...]
    window: Window
    keys: tuple[Field, ...]
    aggregates: tuple[AggregateCall, ...]
    rowtime_type: DataType

    @property
    def distinct_sets(self) -> tuple[tuple[str, str | None], ...]:
        """The (argument, filter) pairs whose distinct values are counted or summed, each once."""
        pairs = ((call.argument or "", call.filter) for call in self.aggregates if call.distinct)
        return tuple(dict.fromkeys(pairs))


@dataclass(frozen=True)
class Insert:
    """A query written to a sink.

    `operator` is the window operator whose windows the rows belong to, `window` its windowing; None if rows are
    published as they come. `key` are the sink columns that are unique inside a window, None if they are not written.
    """

    name: str
    sink: Table
    query: Query
    operator: str | None
    window: Window | None
    key: tuple[str, ...] | None


@dataclass(frozen=True)
class Plan:
    """A whole report. `settings` are the values of SET; `script` is the text that this was made from.

    `base` is the directory at which relative paths of its tables start.
    """

    name: str
    sources: tuple[Source, ...]
    operators: tuple[WindowAggregate, ...]
    inserts: tuple[Insert, ...]
    settings: tuple[tuple[str, str], ...]
    script: str
    base: str

    def source(self, name: str) -> Source:
        return next(source for source in self.sources if source.name == name)

    def operator(self, name: str) -> WindowAggregate:
        return next(operator for operator in self.operators if operator.name == name)

    def insert(self, name: str) -> Insert:
        return next(insert for insert in self.inserts if insert.name == name)

    def setting(self, name: str) -> str | None:
        return dict(self.settings).get(name)

    def readers(self, source: str) -> tuple[WindowAggregate, ...]:
        """The operators that absorb the rows of this source."""
        return tuple(operator for operator in self.operators if source in operator.sources)

    def passing(self, source: str) -> tuple[Insert, ...]:
        """The inserts that publish rows of this source as they come."""
        return tuple(insert for insert in self.inserts if insert.operator is None and source in insert.query.inputs)

    def fed_by(self, operator: str) -> tuple[Insert, ...]:
        """The inserts that publish the windows of this operator."""
        return tuple(insert for insert in self.inserts if insert.operator == operator)
