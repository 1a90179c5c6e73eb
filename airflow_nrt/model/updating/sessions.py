"""SESSION over rows that change."""

from __future__ import annotations

from dataclasses import dataclass, field

from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.types import BIGINT, Field
from airflow_nrt.model.internal_columns import WINDOW_END, WINDOW_START
from airflow_nrt.model.operators import Query
from airflow_nrt.model.updating.operator import UpdatingOperator
from airflow_nrt.model.written import Written


@dataclass(frozen=True)
class UpdatingSessions(UpdatingOperator):
    """SESSION over rows that change: each row with the bounds of its session, which move as other rows come and go.

    The input query gives the key columns, by which sessions are separate, `columns`, the rowtime, `_nrt_after` and
    `_nrt_key`. A session ends where no row follows within the `gap` (ms). The result has the columns, `_nrt_start`,
    `_nrt_end`, `_nrt_after` and `_nrt_key`, for the rows of the sessions that a batch touches.
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
        """The bounds among them."""
        return (*self.columns, Field(WINDOW_START, BIGINT), Field(WINDOW_END, BIGINT))
