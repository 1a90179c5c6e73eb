"""The interface of a supervised task."""

from __future__ import annotations

from airflow_nrt.model.options.on_change import OnChange
from airflow_nrt.operators.common import NrtBaseOperator
from airflow_nrt.operators.supervision.restarts import RestartPolicy
from airflow_nrt.triggers.watch_settings import WatchSettings


class SupervisedOperator(NrtBaseOperator):
    """See `NrtStreamOperator` for each parameter."""

    available_now: bool
    on_change: OnChange
    startup_timeout: float
    restarts: RestartPolicy
    watch: WatchSettings
    on_stall: str
