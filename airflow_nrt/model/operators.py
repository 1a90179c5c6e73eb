"""Window operators, and the stateless SQL (`Query`) between operators: Spark SQL already."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.types import BIGINT, DataType, Field
from airflow_nrt.model.aggregates import AGGREGATES, NEIGHBOURS, Aggregate
from airflow_nrt.model.internal_columns import ROWTIME, WINDOW_END, WINDOW_START
from airflow_nrt.model.windows import Window
from airflow_nrt.model.written import Written
from airflow_nrt.program.functions import PythonFunction

QUOTED = re.compile(r"`((?:[^`]|``)+)`")
"""Names in Spark SQL."""
_BOUNDS = ("window_start", "window_end", "window_time", WINDOW_START, WINDOW_END)


@dataclass(frozen=True)
class Query:
    """Stateless Spark SQL over named inputs: sources or operators of the plan. `fields` are its visible columns."""

    sql: str = field(metadata=METADATA)
    inputs: tuple[str, ...] = field(metadata=METADATA)
    fields: tuple[Field, ...] = field(metadata=METADATA)


@dataclass(frozen=True)
class AggregateCall:
    """One aggregate of a window operator.

    `argument` and `filter` name columns of the operator's input query; `argument` is None for COUNT(*), a ROW where the
    aggregate is taken of several values at once. `parameters` are further constants (the separator of LISTAGG). `text`
    is the call as the report writes it. Of a Python function, `python`, the argument is a ROW of all that it is given.
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

    @property
    def built_in(self) -> Aggregate | None:
        """None of a Python function."""
        return None if self.python is not None else (AGGREGATES.get(self.function) or NEIGHBOURS[self.function])

    @property
    def keeps_rows(self) -> bool:
        """Whether it is a Python function that can't merge what it accumulated, or must not: it sees a value once."""
        return self.python is not None and (self.python.accumulator is None or self.distinct)

    @property
    def holds_values(self) -> bool:
        """Whether what is stored of it grows with the values that it was given."""
        return self.distinct or self.keeps_rows or (self.built_in is not None and self.built_in.holds_values)

    @property
    def order_sensitive(self) -> bool:
        """Whether the result depends on where rows stood on arrival."""
        return self.keeps_rows if self.built_in is None else self.built_in.order_sensitive

    @property
    def is_of_set(self) -> bool:
        """Whether it is taken over a distinct set of its operator, where a value enters and leaves a window once.

        Others are distinct by themselves: they hold values, and pass over the repeated ones when they finish. So do
        variances of what is summed as DOUBLE, from which a large value does not leave without a trace.
        """
        kind = self.built_in
        return self.distinct and kind is not None and self.argument_type is not None and kind.leaves(self.argument_type)


ROWS_COME = AggregateCall("rows", "COUNT", None, None, None, False, BIGINT, "COUNT(*)")
"""No query reads its result: it says how many rows have come."""


class Operator(ABC):
    """What all operators of a plan have in common."""

    name: str
    keys: tuple[Field, ...]
    written: Written
    keeps_rows: bool = False
    """Whether its state are rows as they came, and no groups of keys."""

    @property
    def shown(self) -> tuple[Field, ...]:
        """The columns by which people know it."""
        return self.keys

    @property
    @abstractmethod
    def inputs(self) -> tuple[Query, ...]:
        """The queries whose rows it takes."""

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        """The aggregates that it computes."""
        return ()

    def made_of(self, column: str) -> tuple[str, ...]:
        """The columns of its input queries that a column of its result is computed from."""
        call = next((one for one in self.calls if one.name == column), None)
        return (column,) if call is None else tuple(one for one in (call.argument, call.filter) if one is not None)


class OfWindows(Operator):
    """One whose results are those of windows."""

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
    """The rows that an OVER aggregate looks at: those of equal `partition`, which are keys of the operator.

    `unit` is ROWS or RANGE. From `low` rows or milliseconds before the current row (None: all) up to `high`; what is
    behind the row is negative. If it is `growing`, the last key of the partition only grows, by time, among
    rows of the others: what is behind it is over.
    """

    partition: tuple[str, ...] = field(metadata=METADATA)
    unit: str
    low: int | None
    high: int = 0
    growing: bool = False

    @property
    def follows(self) -> bool:
        """Whether its row waits for a number of rows: nobody knows how long."""
        return self.unit == "ROWS" and self.high < 0


def distinct_sets(calls: Iterable[AggregateCall]) -> tuple[tuple[str, str | None], ...]:
    """The (argument, filter) pairs whose distinct values are counted or summed, each pair once."""
    return tuple(dict.fromkeys((call.argument or "", call.filter) for call in calls if call.is_of_set))


@dataclass(frozen=True)
class WindowAggregate(OfWindows):
    """GROUP BY window_start, window_end and keys over one windowing function.

    The input query gives the key columns, the arguments, the filters, `_nrt_ts` and the hidden columns of its source.
    Its result has the keys, `window_start`, `window_end`, `window_time`, one column an aggregate, and `_nrt_end`.

    `sources` are the sources whose rows it absorbs; none if it absorbs the windows of other operators, as they fire.
    `clock` are the sources whose watermarks it waits for: with its own those of all that it must fire together with.
    Windows over processing time wait for `CLOCK`; their rows have it as their rowtime, so that none is late.
    With `keeps_rows` the keys are the columns of a row that are read, and its position: its windows hold the rows.
    `partition` are the keys that each have sessions of their own.
    Its watermark stays `delay` (ms) behind that of its sources: so long rows are in time, and state is kept.

    Of OVER, too, the keys are columns of a row; each of the `aggregates` looks at its one of the `frames`, and the
    result has no window columns. Late is what comes behind a row of its `partition` that has fired; if it is `strict`,
    what comes behind the watermark. It may forget a key that is idle (`forgets`).
    With `parts` it puts rows together, of which so many operators of OVER give a part each.
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
    written: Written = field(default=Written(), compare=False, metadata=METADATA)

    @property
    def following(self) -> int:
        """Of OVER: how many milliseconds behind a row its frames end. It waits for that time."""
        return max([0, *(-frame.high for frame in self.frames if frame.unit == "RANGE")])

    @property
    def followers(self) -> int:
        """Of OVER: how many rows of its partition a row waits for. All frames are of it then, and of no length."""
        return max([0, *(-frame.high for frame in self.frames if frame.follows)])

    @property
    def waits(self) -> bool:
        """Of OVER: whether its rows wait for what follows them."""
        return self.following > 0 or self.followers > 0

    @property
    def forgets(self) -> bool:
        """Of OVER: whether a key that is idle is forgotten, as in Flink: if all that its rows look at is an interval.

        Its state would last as long as the report, if each key kept the row that says which others are late. Above
        windows, which come when they fire and not when they end, nothing is forgotten.
        """
        intervals = all(frame.unit == "RANGE" and frame.low is not None for frame in self.frames)
        return bool(self.frames) and intervals and bool(self.sources) and not self.strict


@dataclass(frozen=True)
class Regroup(OfWindows):
    """GROUP BY window_start, window_end and keys over the results of windows. It keeps nothing: a window is whole.

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
