"""Columns that are computed over all rows of a partition so far: Top-N, deduplication, OVER without a window."""

from __future__ import annotations

from dataclasses import dataclass, field

from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.types import Field
from airflow_nrt.model.operators import AggregateCall, Query
from airflow_nrt.model.updating.groups import OfGroups
from airflow_nrt.model.written import Written


@dataclass(frozen=True)
class FramedCall:
    """An aggregate of the rows in a frame; `over` is SQL of the window specification."""

    call: AggregateCall
    over: str = field(metadata=METADATA)


@dataclass(frozen=True)
class UpdatingRows(OfGroups):
    """Columns computed over all rows of a partition so far: Top-N, deduplication and OVER without a window.

    The input query gives the key columns (by which rows are partitioned), `columns`, and `p`, which identifies a row;
    with `changing` also `_nrt_after`. `computed` are SQL over the rows of one partition at one time, `framed` are
    aggregates over them. With a `limit` only rows are kept whose one computed column is at most that: the rank of the
    others can't fall again. `constant`: the number of rows of its result does not grow. `identity` is the SQL of
    `_nrt_key`. The result has the columns, the computed ones, `_nrt_after` and `_nrt_key`, for the partitions that a
    batch touches.
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
        framed = (Field(one.call.name, one.call.type) for one in self.framed)
        return (*self.columns, *(field for field, _ in self.computed), *framed)

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        return tuple(one.call for one in self.framed)

    @property
    def keeps_all_rows(self) -> bool:
        return self.changing and bool(self.computed)
