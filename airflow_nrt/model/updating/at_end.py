"""Rows that wait until their sources have ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.types import Field
from airflow_nrt.model.operators import Query
from airflow_nrt.model.updating.operator import UpdatingOperator
from airflow_nrt.model.written import Written

END = "the end of its sources"


@dataclass(frozen=True)
class RowsAtEnd(UpdatingOperator):
    """The rows of its input once all sources below have ended; no rows before.

    The input query gives `columns`; with `changing` also `_nrt_after` and `_nrt_key`. The result has the columns, and
    never changes.
    """

    keeps_rows = True
    waits_for_end: ClassVar[bool] = True

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
        return self.columns

    @property
    def shown(self) -> tuple[Field, ...]:
        return self.columns

    @property
    def bound(self) -> str | None:
        return END
