"""The rows of the last hour of event time."""

from __future__ import annotations

from dataclasses import dataclass, field

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.types import POSITION_TYPE, Field
from airflow_nrt.model.operators import Query
from airflow_nrt.model.updating.operator import UpdatingOperator
from airflow_nrt.model.written import Written


@dataclass(frozen=True)
class RecentRows(UpdatingOperator):
    """The rows of a source that are at most `span` (ms) older than its watermark.

    The input query gives `columns`, `t`, the rowtime (ms), `w`, the watermark (ms) that the row proposes, and `p`, its
    place on arrival. The result has the columns, `p`, `_nrt_after` and `_nrt_key`. Once the source has ended, its last
    rowtime replaces the watermark. `text` is the condition as the report writes it.
    """

    keeps_rows = True

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
        """`p` among them."""
        return (*self.columns, Field("p", POSITION_TYPE))

    @property
    def shown(self) -> tuple[Field, ...]:
        return self.columns

    @property
    def moved_by(self) -> str | None:
        return self.source

    @property
    def follows_arrival(self) -> str | None:
        return "rows come and go with the watermark: such results that never complete can't be verified"

    @property
    def bound(self) -> str | None:
        span = format_duration(self.span)
        return f"{self.text}: a row is forgotten when it is older than the watermark by more than {span}"

    @property
    def bound_of_result(self) -> str | None:
        return self.text
