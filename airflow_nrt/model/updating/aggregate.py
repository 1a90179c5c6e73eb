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
    """GROUP BY keys without a window: one row a group, over all rows so far. The row changes as more rows arrive.

    The input query gives the key columns, the arguments, the filters and the places of rows on arrival. With `changing`
    its rows change themselves: it gives `_nrt_after` and `_nrt_key`, and `arguments` are all its columns except keys.
    The result has the keys, one column an aggregate, `_nrt_after` and `_nrt_key`, for the groups that a batch touches.
    `constant`: neither the number of groups grows, nor the state of each.
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
        """True without keys: over no rows the one group has a row, with COUNT 0."""
        return not self.keys
