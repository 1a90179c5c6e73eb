"""GROUP BY without a window."""

from __future__ import annotations

from dataclasses import dataclass, field

from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.types import Field
from airflow_nrt.model.operators import AggregateCall, Query
from airflow_nrt.model.updating.groups import OfGroups
from airflow_nrt.model.written import Written


@dataclass(frozen=True)
class UpdatingAggregate(OfGroups):
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
        return (*self.keys, *(Field(call.name, call.type) for call in self.aggregates))

    @property
    def calls(self) -> tuple[AggregateCall, ...]:
        return self.aggregates

    @property
    def keeps_all_rows(self) -> bool:
        return self.changing

    @property
    def stands_alone(self) -> bool:
        """An aggregate over all rows does, COUNT of which is 0 then."""
        return not self.keys
