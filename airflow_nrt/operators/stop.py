"""Stopping a report's stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pendulum
from airflow.sdk import BaseOperator, Context

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.operators.connection import DEFAULT_CONNECTION, connection_named
from airflow_nrt.operators.messages.ending import ending_the_task


class NrtStopOperator(BaseOperator):
    """Asks the driver of a home to stop after its batch, and waits until it has stopped. Succeeds if none is running.

    This includes a driver that was launched and has not begun, and one that a task is about to restart. The supervising
    task then succeeds.

    :param home: (templated) the report's home; a relative path starts at the connection's `home`
    :param nrt_conn_id: (templated) a connection of type `nrt`; no connection if `nrt_default` is not defined
    :param conn_id: deprecated name of `nrt_conn_id`
    :param timeout: seconds to wait; the request stays valid afterwards
    :xcom return_value: the report's status, as of `NrtStreamOperator`
    """

    template_fields: Sequence[str] = ("home", "nrt_conn_id")
    ui_color = "#e4f2ec"

    def __init__(
        self,
        *,
        home: str,
        nrt_conn_id: str | None = DEFAULT_CONNECTION,
        conn_id: str | None = None,
        timeout: float = 300.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.home = home
        self.nrt_conn_id = connection_named(nrt_conn_id, conn_id)
        self.timeout = timeout

    def execute(self, context: Context) -> dict[str, Any]:
        from airflow_nrt.hooks.nrt import NrtHook
        from airflow_nrt.triggers.progress import end_xcom
        from airflow_nrt.usecases.requests.stop import StopRequest
        from airflow_nrt.usecases.stop import stop

        hook = NrtHook(self.nrt_conn_id)
        with ending_the_task(self.log):
            home = hook.home(self.home)
            done = stop(StopRequest(str(home.path), home.group, self.timeout), self._log_request)
            if not done.has_stopped:
                raise NrtError(
                    f"the driver of epoch {done.epoch} has not stopped within "
                    f"{pendulum.duration(seconds=self.timeout).in_words()}; the request stands"
                )
            return end_xcom(hook.status(self.home))

    def _log_request(self, epoch: int) -> None:
        self.log.info("asked all drivers up to epoch %s, and launches under way, to stop", epoch)
