"""Stopping a report's stream."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from airflow.sdk import BaseOperator, Context

from airflow_nrt.operators.common import ending_the_task, status_xcom
from airflow_nrt.report.errors import NrtError

_LOOK_SECONDS = 0.5


class NrtStopOperator(BaseOperator):
    """Asks the driver of a home to stop after its batch, and waits until it has. None running is fine.

    The task that supervises the driver ends with success then. The return value is the report's status.

    :param home: (templated) the report's home
    :param conn_id: (templated) a connection of type `nrt`
    :param timeout: seconds to wait; the request stands afterwards
    """

    template_fields: Sequence[str] = ("home", "conn_id")
    ui_color = "#e4f2ec"

    def __init__(self, *, home: str, conn_id: str | None = None, timeout: float = 300.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.home = home
        self.conn_id = conn_id
        self.timeout = timeout

    def execute(self, context: Context) -> dict[str, Any]:
        from airflow_nrt.hooks.nrt import NrtHook
        from airflow_nrt.launch.living import living_driver

        hook = NrtHook(self.conn_id)
        with ending_the_task():
            hook.status(self.home)
            home = hook.home(self.home)
            deadline = time.monotonic() + self.timeout
            beat = living_driver(home)
            if beat is not None:
                epoch = hook.ask_to_stop(self.home)
                self.log.info("asked the driver of epoch %s to stop", epoch)
            while beat is not None and beat.epoch <= epoch:
                if time.monotonic() > deadline:
                    raise NrtError(
                        f"the driver of epoch {epoch} has not stopped within {self.timeout:g} s; the request stands"
                    )
                time.sleep(_LOOK_SECONDS)
                beat = living_driver(home)
            return status_xcom(hook.status(self.home))
