"""Updating operators: their results are never complete, and change as rows come."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.report.hidden import LEFT, RIGHT
from airflow_nrt.report.operators import AggregateCall, Query
from airflow_nrt.report.types import Field


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
