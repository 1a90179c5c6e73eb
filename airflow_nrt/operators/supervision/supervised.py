"""The interface of a supervised task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_nrt.operators.common import NrtBaseOperator
from airflow_nrt.operators.supervision.restarts import RestartPolicy

if TYPE_CHECKING:
    from airflow.sdk.definitions.callback import AsyncCallback


class SupervisedOperator(NrtBaseOperator):
    """See `NrtStreamOperator` for each parameter."""

    available_now: bool
    startup_timeout: float
    restarts: RestartPolicy
    stall_timeout: float | None
    on_stall: str
    silence_timeout: float
    poll_interval: float
    earliest_event: float
    status_interval: float
    freshness: str | None
    freshness_callback: AsyncCallback | None
