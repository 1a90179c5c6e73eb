"""Updating operators: their results are never complete, and change as rows come."""

from __future__ import annotations

from dataclasses import dataclass, field

from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.types import BIGINT, POSITION_TYPE, Field
from airflow_nrt.model.hidden import LEFT, RIGHT, WINDOW_END, WINDOW_START
from airflow_nrt.model.operators import AggregateCall, Query
from airflow_nrt.model.written import Written


@dataclass(frozen=True)
class UpdatingAggregate:
    """GROUP BY keys without a window: one row a group, over all rows so far. The row changes as more rows come.

    The input query gives the key columns, the arguments, the filters and where rows stood on arrival. With `changing`
    its rows change themselves: it gives `_nrt_after` and `_nrt_key`, and `arguments` are all its columns but keys.
    The result has the keys, one column an aggregate, `_nrt_after` and `_nrt_key`, for groups that a batch touches.
    `constant` says that neither the number of groups grows, nor what is kept of each.
    """

    name: str = field(metadata=METADATA)
    input: Query = field(metadata=METADATA)
    keys: tuple[Field, ...]
    aggregates: tuple[AggregateCall, ...]
    arguments: tuple[str, ...] = field(default=(), metadata=METADATA)
    changing: bool = False
    constant: bool = field(default=False, metadata=METADATA)
    written: Written = field(default=Written(), compare=False, metadata=METADATA)

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
    over: str = field(metadata=METADATA)


@dataclass(frozen=True)
class UpdatingRows:
    """Columns computed over all rows of a partition so far: Top-N, deduplication and OVER without a window.

    The input query gives the key columns (what the rows are partitioned by), `columns`, and `p`, by which a row is
    known again; with `changing` also `_nrt_after`. `computed` are SQL over the rows of one partition at one time,
    `framed` are aggregates over them. With a `limit` only rows whose one computed column is not above it are kept: no
    other can come down to it again. `constant` says that the number of rows of its result does not grow. `identity` is
    the SQL of `_nrt_key`. The result has the columns, what is computed, `_nrt_after` and `_nrt_key`, for the partitions
    that a batch touches.
    """

    name: str = field(metadata=METADATA)
    input: Query = field(metadata=METADATA)
    keys: tuple[Field, ...]
    columns: tuple[Field, ...]
    computed: tuple[tuple[Field, str], ...] = field(metadata=METADATA)
    identity: str = field(metadata=METADATA)
    limit: int | None = None
    changing: bool = False
    constant: bool = field(default=False, metadata=METADATA)
    framed: tuple[FramedCall, ...] = ()
    written: Written = field(default=Written(), compare=False, metadata=METADATA)

    @property
    def inputs(self) -> tuple[Query, ...]:
        return (self.input,)

    @property
    def fields(self) -> tuple[Field, ...]:
        """As of an `UpdatingAggregate`."""
        framed = (Field(one.call.name, one.call.type) for one in self.framed)
        return (*self.columns, *(field for field, _ in self.computed), *framed)


@dataclass(frozen=True)
class UpdatingSessions:
    """SESSION over rows that change: each row with the bounds of its session, which move as others come and go.

    The input query gives the key columns, whose values each have sessions of their own, `columns`, the rowtime,
    `_nrt_after` and `_nrt_key`. A session is over where no row is for the `gap` (ms). The result has the columns,
    `_nrt_start`, `_nrt_end`, `_nrt_after` and `_nrt_key`, for the rows of the sessions that a batch touches.
    """

    name: str = field(metadata=METADATA)
    input: Query = field(metadata=METADATA)
    keys: tuple[Field, ...]
    columns: tuple[Field, ...]
    gap: int
    written: Written = field(default=Written(), compare=False, metadata=METADATA)

    @property
    def inputs(self) -> tuple[Query, ...]:
        return (self.input,)

    @property
    def fields(self) -> tuple[Field, ...]:
        """As of an `UpdatingAggregate`; the bounds among them."""
        return (*self.columns, Field(WINDOW_START, BIGINT), Field(WINDOW_END, BIGINT))


@dataclass(frozen=True)
class JoinSide:
    """What one side of an `UpdatingJoin` reads, and its columns there.

    The query gives `_nrt_side`, the key columns, the columns of both sides (NULL for those of the other), `_nrt_after`
    and `_nrt_key`; where rows are not `changing`, all of them stand behind the batch.
    """

    input: Query = field(metadata=METADATA)
    columns: tuple[Field, ...]
    changing: bool


FILTERS = ("SEMI", "ANTI")
"""The kinds of joins whose rows are those of the left side."""


@dataclass(frozen=True)
class UpdatingJoin:
    """A regular join: rows of two sides meet whenever they come.

    Of an interval join the time of the left row less that of the right one lies in the `interval` (ms); then the sides
    also give `_nrt_until`, and `sources` are those whose watermarks say when a row is needed no more.

    They meet where their `keys` are equal and the `condition` holds, SQL over the columns of both; `text` is how the
    report writes it. `kind` is INNER, LEFT, RIGHT or FULL; or SEMI or ANTI, whose result are the rows of the left side
    that meet some of the right, or none. The result has the columns of the left side, then of the right (NULL where it
    `filters`), `_nrt_after` and `_nrt_key`.
    """

    name: str = field(metadata=METADATA)
    left: JoinSide
    right: JoinSide
    keys: tuple[Field, ...]
    condition: str = field(metadata=METADATA)
    kind: str
    text: str = field(metadata=METADATA)
    interval: tuple[int, int] | None = None
    sources: tuple[str, ...] = ()
    written: Written = field(default=Written(), compare=False, metadata=METADATA)

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
        """The sides of whose rows it must be known whether they meet nothing."""
        both = {"LEFT": (LEFT,), "RIGHT": (RIGHT,), "FULL": (LEFT, RIGHT), "SEMI": (LEFT,), "ANTI": (LEFT,)}
        return both.get(self.kind, ())

    @property
    def filters(self) -> bool:
        """Whether its rows are those of the left side."""
        return self.kind in FILTERS


@dataclass(frozen=True)
class RecentRows:
    """The rows of a source whose rowtime lies in the `span` (ms) behind its watermark, that included.

    The input query gives `columns`, `t`, the rowtime (ms), `w`, the watermark (ms) that the row proposes, and `p`,
    where it stood on arrival. The result has the columns, `p`, `_nrt_after` and `_nrt_key`. When the source has ended,
    its last rowtime stands for the watermark. `text` is the condition as the report writes it.
    """

    name: str = field(metadata=METADATA)
    input: Query = field(metadata=METADATA)
    columns: tuple[Field, ...]
    source: str
    span: int
    text: str = field(metadata=METADATA)
    keys: tuple[Field, ...] = ()
    written: Written = field(default=Written(), compare=False, metadata=METADATA)

    @property
    def inputs(self) -> tuple[Query, ...]:
        return (self.input,)

    @property
    def fields(self) -> tuple[Field, ...]:
        """As of an `UpdatingAggregate`; `p` among them."""
        return (*self.columns, Field("p", POSITION_TYPE))


@dataclass(frozen=True)
class RowsAtEnd:
    """The rows of its input as they stand when all sources below have ended: until then there are none.

    The input query gives `columns`; with `changing` also `_nrt_after` and `_nrt_key`. The result has the columns, and
    never changes.
    """

    name: str = field(metadata=METADATA)
    input: Query = field(metadata=METADATA)
    columns: tuple[Field, ...]
    changing: bool
    keys: tuple[Field, ...] = ()
    written: Written = field(default=Written(), compare=False, metadata=METADATA)

    @property
    def inputs(self) -> tuple[Query, ...]:
        return (self.input,)

    @property
    def fields(self) -> tuple[Field, ...]:
        """As of an `UpdatingAggregate`."""
        return self.columns


Updating = UpdatingAggregate | UpdatingRows | UpdatingSessions | UpdatingJoin | RecentRows | RowsAtEnd
"""An operator whose result is never complete: it publishes what each batch changes of it."""


def stands_alone(operator: Updating) -> bool:
    """Whether its result has a row even if no row has come: an aggregate over all rows, COUNT of which is 0 then."""
    return isinstance(operator, UpdatingAggregate) and not operator.keys
