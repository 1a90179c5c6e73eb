"""Updating operators: their results are never complete, and change as rows arrive."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from airflow_nrt.basics.types import Field
from airflow_nrt.model.operators import Operator


class UpdatingOperator(Operator):
    """An operator that emits the changes of its result with each batch."""

    waits_for_end: ClassVar[bool] = False
    """Whether it has no result before its sources have ended."""

    @property
    @abstractmethod
    def fields(self) -> tuple[Field, ...]:
        """The visible columns of its result."""

    @property
    def stands_alone(self) -> bool:
        """Whether its result has a row even before any row has arrived."""
        return False

    @property
    def moved_by(self) -> str | None:
        """The source whose watermark moves rows in and out of its result; None if only new rows change it."""
        return None

    @property
    def forgets_by(self) -> tuple[str, ...]:
        """The sources whose watermarks say when a row is no longer needed; none if only a TTL does."""
        return ()

    @property
    def follows_arrival(self) -> str | None:
        """Why its result depends on when rows arrived, so that a batch over all rows can differ; else None."""
        return None

    # ---------------------------------------------------------------------------------------------------- bounds

    @property
    def bound(self) -> str | None:
        """What bounds its state for any settings and any input; None if nothing does."""
        return None

    @property
    def bound_of_groups(self) -> str | None:
        """What bounds its state without a TTL, if its groups can't grow; None if they can."""
        return None

    @property
    def bound_of_result(self) -> str | None:
        """What bounds the number of rows of its result; None if only the bounds of its inputs do."""
        return None

    def bound_by(self, ttl: str) -> str:
        """What bounds its state if state expires after this time."""
        return f"a key that no row touches for {ttl} of processing time is forgotten"
