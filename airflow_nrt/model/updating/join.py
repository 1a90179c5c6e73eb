"""Joins without a window."""

from __future__ import annotations

from dataclasses import dataclass, field

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.metadata import METADATA
from airflow_nrt.basics.types import Field
from airflow_nrt.model.internal_columns import LEFT, RIGHT
from airflow_nrt.model.operators import Query
from airflow_nrt.model.updating.operator import UpdatingOperator
from airflow_nrt.model.written import Written

FILTERS = ("SEMI", "ANTI")
"""The kinds of joins whose rows are those of the left side."""


@dataclass(frozen=True)
class JoinSide:
    """The input of one side of an `UpdatingJoin`, and its columns.

    The query gives `_nrt_side`, the key columns, the columns of both sides (NULL for those of the other), `_nrt_after`
    and `_nrt_key`. Where rows are not `changing`, `_nrt_after` is true for all.
    """

    input: Query = field(metadata=METADATA)
    columns: tuple[Field, ...]
    changing: bool


@dataclass(frozen=True)
class UpdatingJoin(UpdatingOperator):
    """A regular join: rows of two sides match whenever they arrive.

    Rows match if their `keys` are equal and the `condition` holds, SQL over the columns of both; `text` is how the
    report writes it. `kind` is INNER, LEFT, RIGHT or FULL; or SEMI or ANTI, whose results are the rows of the left side
    with a match on the right, or without. The result has the columns of the left side, then of the right (NULL where it
    `filters`), `_nrt_after` and `_nrt_key`.

    In an interval join the time of the left row minus that of the right row is in the `interval` (ms). Then the sides
    also give `_nrt_until`, and the watermarks of the `sources` say when a row is no longer needed.
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
        return (*self.left.columns, *self.right.columns)

    @property
    def changing(self) -> bool:
        return self.left.changing or self.right.changing

    @property
    def padded(self) -> tuple[str, ...]:
        """The sides whose rows must be known to have a match or not."""
        both = {"LEFT": (LEFT,), "RIGHT": (RIGHT,), "FULL": (LEFT, RIGHT), "SEMI": (LEFT,), "ANTI": (LEFT,)}
        return both.get(self.kind, ())

    @property
    def filters(self) -> bool:
        """Whether its rows are those of the left side."""
        return self.kind in FILTERS

    @property
    def forgets_by(self) -> tuple[str, ...]:
        return self.sources if self.interval is not None else ()

    @property
    def follows_arrival(self) -> str | None:
        if self.interval is None:
            return None
        return "the rows that an interval join sees depend on when they arrived: such results can't be verified"

    @property
    def bound(self) -> str | None:
        if self.interval is None:
            return None
        least, most = (format_duration(max(0, ms)) for ms in (-self.interval[0], self.interval[1]))
        return (
            "the interval of the join: a row is forgotten when it is older than the watermark by more than "
            f"{least} (left), {most} (right)"
        )

    def bound_by(self, ttl: str) -> str:
        return f"a row is forgotten {ttl} of processing time after it was last written"
