"""What an updating operator answers: its results are never complete, and change as rows come."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from airflow_nrt.basics.types import Field
from airflow_nrt.model.operators import Operator


class UpdatingOperator(Operator):
    """It publishes what each batch changes of its result."""

    waits_for_end: ClassVar[bool] = False
    """Whether it has no result before its sources have ended."""

    @property
    @abstractmethod
    def fields(self) -> tuple[Field, ...]:
        """The visible columns of its result."""

    @property
    def stands_alone(self) -> bool:
        """Whether its result has a row even if no row has come."""
        return False

    @property
    def moved_by(self) -> str | None:
        """The source whose watermark takes rows in and out of its result; None if rows alone do."""
        return None

    @property
    def forgets_by(self) -> tuple[str, ...]:
        """The sources whose watermarks say when a row is needed no more; none if nothing but a TTL says it."""
        return ()

    @property
    def follows_arrival(self) -> str | None:
        """Why its result depends on when rows came, so that a batch over all of them can give another; None if not."""
        return None

    # ---------------------------------------------------------------------------------------------------- bounds

    @property
    def bound(self) -> str | None:
        """What bounds its state, whatever is set and whatever comes; None if nothing does."""
        return None

    @property
    def bound_of_groups(self) -> str | None:
        """What bounds its state because its groups do not grow, unless a TTL does; None if they can."""
        return None

    @property
    def bound_of_result(self) -> str | None:
        """What bounds the number of rows of its result; None if nothing does but what bounds its inputs."""
        return None

    def bound_by(self, ttl: str) -> str:
        """What bounds its state where state is forgotten after this time."""
        return f"a key that no row touches for {ttl} of processing time is forgotten"
