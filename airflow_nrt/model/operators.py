"""Window operators, and the stateless Spark SQL (`Query`) between operators."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from airflow_nrt.basics.instants import LAST_MINUTE
from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.types import BIGINT, DataType, Field
from airflow_nrt.model.aggregates import AGGREGATES, NEIGHBOURS, ROUNDING, VERSION, Aggregate
from airflow_nrt.model.arithmetic_errors import uncounted
from airflow_nrt.model.internal_columns import POSITION, ROWTIME, WINDOW_END, WINDOW_START
from airflow_nrt.model.numbering import Numbering
from airflow_nrt.model.wide_sums import is_wide
from airflow_nrt.model.windows import Ends, Window
from airflow_nrt.model.windows.grid import Grid
from airflow_nrt.model.written import Written
from airflow_nrt.program.functions import PythonFunction

_SUMS = ("SUM", "AVG")
_BOUNDS = ("window_start", "window_end", "window_time", WINDOW_START, WINDOW_END)


@dataclass(frozen=True, eq=False)
class Query:
    """Stateless Spark SQL over named inputs: sources or operators of the plan. `fields` are its visible columns.

    Two queries are equal if their values are, whatever is counted for them.
    """

    sql: str = field(metadata=METADATA)
    inputs: tuple[str, ...] = field(metadata=METADATA)
    fields: tuple[Field, ...] = field(metadata=METADATA)

    @property
    def reads_position(self) -> bool:
        """Whether its results depend on where rows stood on arrival. The name is reserved, so its SQL says that."""
        return POSITION in self._values

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Query):
            return NotImplemented
        return (self._values, self.inputs, self.fields) == (other._values, other.inputs, other.fields)

    def __hash__(self) -> int:
        return hash((self._values, self.inputs, self.fields))

    @cached_property
    def _values(self) -> str:
        return uncounted(self.sql)


@dataclass(frozen=True)
class AggregateCall:
    """One aggregate of a window operator.

    `argument` and `filter` name columns of the operator's input query. `argument` is None for COUNT(*), and a ROW where
    the aggregate takes several values. `parameters` are further constants (the separator of LISTAGG). `text` is the
    call as the report writes it. The argument of a Python function, `python`, is a ROW of all its arguments. A sum that
    its type can't hold is an error, unless `overflow_is_null`.
    """

    name: str = field(metadata=METADATA)
    function: str
    argument: str | None = field(metadata=METADATA)
    argument_type: DataType | None
    filter: str | None = field(metadata=METADATA)
    distinct: bool
    type: DataType
    text: str = field(metadata=METADATA)
    parameters: tuple[str, ...] = ()
    python: PythonFunction | None = None
    overflow_is_null: bool = field(default=False, metadata=METADATA)

    @property
    def built_in(self) -> Aggregate | None:
        """None for a Python function."""
        others = {**NEIGHBOURS, VERSION.name: VERSION}
        return None if self.python is not None else (AGGREGATES.get(self.function) or others[self.function])

    @property
    def may_be_too_large(self) -> bool:
        """Whether its result may not fit its DECIMAL, and is NULL then."""
        kind = self.argument_type
        return self.function in _SUMS and kind is not None and is_wide(kind)

    @property
    def keeps_rows(self) -> bool:
        """Whether it is a Python function that can't merge accumulators, or must not because it is DISTINCT."""
        return self.python is not None and (self.python.accumulator is None or self.distinct)

    @property
    def holds_values(self) -> bool:
        """Whether its state grows with its input values."""
        return self.distinct or self.keeps_rows or (self.built_in is not None and self.built_in.holds_values)

    @property
    def order_sensitive(self) -> bool:
        """Whether the result depends on the order in which rows arrived."""
        return self.keeps_rows if self.built_in is None else self.built_in.order_sensitive

    @property
    def is_of_set(self) -> bool:
        """Whether it aggregates a distinct set of its operator, where a value enters and leaves a window once.

        Other DISTINCT calls hold the values themselves, and skip repeated ones when they finish. So do variances of
        values that are summed as DOUBLE, because a large value can't be subtracted without a rounding error.
        """
        kind = self.built_in
        operand = self.argument_type
        return self.distinct and kind is not None and operand is not None and kind.retractable(operand)

    @property
    def tolerance(self) -> float:
        """How far stream and batch may differ, relative above 1: 0 if the order of rows and partials makes none."""
        return ROUNDING if self.built_in is None else self.built_in.tolerance_of(self.argument_type)


ROWS_COME = AggregateCall("rows", "COUNT", None, None, None, False, BIGINT, "COUNT(*)")
"""The number of rows that have arrived. No query reads it."""


class Operator(ABC):
    """The common part of all operators of a plan."""

    name: str
    keys: tuple[Field, ...]
    written: Written
    keeps_rows: bool = False
    """Whether its state is the rows themselves, instead of one entry for each key."""

    @property
    def shown(self) -> tuple[Field, ...]:
        """The columns that describe it to people."""
        return self.keys

    @property
    @abstractmethod
    def inputs(self) -> tuple[Query, ...]:
        """The queries whose rows it absorbs."""

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        """The aggregates that it computes."""
        return ()

    def made_of(self, column: str) -> tuple[str, ...]:
        """The columns of its input queries that a column of its result is computed from."""
        call = next((one for one in self.calls if one.name == column), None)
        return (column,) if call is None else tuple(one for one in (call.argument, call.filter) if one is not None)


class OfWindows(Operator):
    """An operator whose results belong to windows."""

    input: Query
    aggregates: tuple[AggregateCall, ...]

    @property
    def inputs(self) -> tuple[Query, ...]:
        return (self.input,)

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        return self.aggregates

    @property
    def distinct_sets(self) -> tuple[tuple[str, str | None], ...]:
        """The (argument, filter) pairs of its distinct aggregates, each once."""
        return distinct_sets(self.aggregates)

    def made_of(self, column: str) -> tuple[str, ...]:
        return (ROWTIME, WINDOW_END) if column in _BOUNDS else super().made_of(column)


@dataclass(frozen=True)
class RowFrame:
    """The frame of an OVER aggregate, among the rows of equal `partition` (keys of the operator).

    `unit` is ROWS or RANGE. The frame goes from `low` rows or milliseconds before the current row (None: all) up to
    `high`; negative numbers are after the row. `growing`: the last key of the partition only grows with time, among
    rows that are equal in the other keys. Smaller values of it get no more rows. It is a part of the time, such as a
    day, if there are ends of its `period`: at these all values get no more rows. With `idle`, the rows of a partition
    begin anew after so many milliseconds without one: no frame of ROWS reaches back over that.
    """

    partition: tuple[str, ...] = field(metadata=METADATA)
    unit: str
    low: int | None
    high: int = 0
    growing: bool = False
    period: Grid | None = field(default=None, metadata=METADATA)
    idle: int | None = None

    @property
    def follows(self) -> bool:
        """Whether a row waits for a number of later rows, and so for an unknown time."""
        return self.unit == "ROWS" and self.high < 0


def distinct_sets(calls: Iterable[AggregateCall]) -> tuple[tuple[str, str | None], ...]:
    """The (argument, filter) pairs whose distinct values are counted or summed, each pair once."""
    return tuple(dict.fromkeys((call.argument or "", call.filter) for call in calls if call.is_of_set))


@dataclass(frozen=True)
class WindowAggregate(OfWindows):
    """GROUP BY window_start, window_end and keys over one windowing function.

    The input query gives the key columns, the arguments, the filters, `_nrt_ts` and the hidden columns of its source.
    The result has the keys, `window_start`, `window_end`, `window_time`, one column an aggregate, and `_nrt_end`.

    `sources` are the sources whose rows it absorbs. It has none if it absorbs the windows of other operators, as these
    fire. `clock` are the sources whose watermarks it waits for: its own, and those of all operators that it fires
    together with. Windows over processing time wait for `CLOCK`, which is also the rowtime of their rows: no row is
    late. With `keeps_rows` its windows hold the rows; the keys are the columns that are read, and the row's position.
    `partition` are the keys by which sessions are separate. Its watermark lags that of its sources by `delay` (ms): for
    so long rows are in time, and state is kept.

    The keys of OVER are columns of a row, too. Each of the `aggregates` has its own of the `frames`, and the result has
    no window columns. A row is late if a later row of its `partition` has fired, or if it is older than the watermark
    where OVER is `strict`. OVER may forget an idle key (`forgets`).
    With `parts` the operator joins rows: so many operators of OVER give one part of each row.
    With a `numbering` its input reads rows that are numbered in the order of arrival.
    """

    name: str = field(metadata=METADATA)
    input: Query = field(metadata=METADATA)
    sources: tuple[str, ...]
    window: Window
    keys: tuple[Field, ...]
    aggregates: tuple[AggregateCall, ...]
    rowtime_type: DataType
    clock: tuple[str, ...] = ()
    keeps_rows: bool = False
    partition: tuple[str, ...] = field(default=(), metadata=METADATA)
    frames: tuple[RowFrame, ...] = ()
    strict: bool = False
    parts: int = 0
    delay: int = 0
    numbering: Numbering | None = None
    written: Written = field(default=Written(), compare=False, metadata=METADATA)

    def is_due(self, until: int, fired: int | None, rows: Sequence[Ends], closed: Sequence[Ends]) -> bool:
        """Whether windows that end at or before `until` (ms) fire now. See `Window.is_due`."""
        if self.parts:
            return bool(rows)
        # The end of the input fires rows that wait for a number of later ones.
        ended = bool(self.followers and closed) and (fired is None or fired < LAST_MINUTE) and until >= LAST_MINUTE
        return ended or self.window.is_due(until, fired, rows, closed)

    @property
    def reads_state(self) -> bool:
        """Whether it needs what earlier rows have left to absorb a row."""
        return not self.window.ends_on_grid or self.numbering is not None

    def earliest_row(self, after: int) -> int:
        """The earliest rowtime (ms) of a row that its windows which end after `after` depend on."""
        earliest = self.window.earliest_row(self.window.grid.after(after))
        return earliest if self.numbering is None else self.numbering.first_row(earliest)

    def rows_until(self, end: int) -> int:
        """The rowtime (ms) that is after all rows that its windows depend on which end at `end` or before."""
        until = self.window.rows_until(end)
        return until if self.numbering is None else self.numbering.rows_until(until)

    @property
    def following(self) -> int:
        """Of OVER: how many milliseconds after a row its frames end. The row waits for so long."""
        return max([0, *(-frame.high for frame in self.frames if frame.unit == "RANGE")])

    @property
    def followers(self) -> int:
        """Of OVER: how many later rows a row waits for. Then all frames have one partition, and none is an interval."""
        return max([0, *(-frame.high for frame in self.frames if frame.follows)])

    @property
    def versions(self) -> tuple[AggregateCall, ...]:
        """Of temporal joins: the calls that find the versions of a row. Rows with an argument of one are versions."""
        return tuple(call for call in self.aggregates if call.built_in is VERSION)

    @property
    def waits(self) -> bool:
        """Of OVER: whether its rows wait for later rows."""
        return self.following > 0 or self.followers > 0

    @property
    def forgets(self) -> bool:
        """Of OVER: whether an idle key is forgotten, as in Flink: if all frames are intervals.

        A key that is never forgotten keeps its last row, which decides which rows are late, as long as the report runs.
        Nothing is forgotten above windows, because these arrive when they fire, not when they end.
        """
        intervals = all(frame.unit == "RANGE" and frame.low is not None for frame in self.frames)
        return bool(self.frames) and intervals and bool(self.sources) and not self.strict


@dataclass(frozen=True)
class Regroup(OfWindows):
    """GROUP BY window_start, window_end and keys over the results of windows. It is stateless: windows arrive whole.

    The input query gives the key columns, the arguments, the filters and `_nrt_end`; the result is that of a
    `WindowAggregate`.
    """

    name: str = field(metadata=METADATA)
    input: Query = field(metadata=METADATA)
    window: Window
    keys: tuple[Field, ...]
    aggregates: tuple[AggregateCall, ...]
    rowtime_type: DataType
    written: Written = field(default=Written(), compare=False, metadata=METADATA)
