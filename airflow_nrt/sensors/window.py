"""Waiting for a window of a report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from airflow.providers.common.compat.sdk import conf
from airflow.sdk import BaseSensorOperator, Context

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_reached, parse_instant
from airflow_nrt.operators.connection import DEFAULT_CONNECTION, connection_named
from airflow_nrt.operators.messages.ending import FinalError, ending_the_task
from airflow_nrt.triggers import EARLIEST_SECONDS

if TYPE_CHECKING:
    # Imports that only a running task needs are in its methods, so that a DAG file parses in milliseconds.
    from airflow_nrt.home.home import Home


class NrtWindowSensor(BaseSensorOperator):
    """Waits until every window that ends at or before a time is complete and published, of all tables or of one.

    The sensor fails for good if the report's driver ended with an error that a restart would meet again. It also waits
    for a home that does not exist yet.

    :param home: (templated) the report's home; a relative path starts at the connection's `home`
    :param window_end: (templated) a time of the report's clock, for example `2024-06-18 10:00`; with `Z` or an offset
        it is an instant, whatever the clock's zone
    :param table: (templated) the table whose windows are waited for, by its name in the report; all tables without it
    :param nrt_conn_id: (templated) a connection of type `nrt`; no connection if `nrt_default` is not defined
    :param conn_id: deprecated name of `nrt_conn_id`
    :param deferrable: wait in the triggerer
    :param earliest_event: seconds before which its trigger never fires, because Airflow may record a task that resumes
        sooner as failed
    :xcom return_value: `window_end`, if it is deferrable
    """

    template_fields: Sequence[str] = ("home", "window_end", "table", "nrt_conn_id")
    ui_color = "#e4f2ec"

    def __init__(
        self,
        *,
        home: str,
        window_end: str,
        table: str | None = None,
        nrt_conn_id: str | None = DEFAULT_CONNECTION,
        conn_id: str | None = None,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        earliest_event: float = EARLIEST_SECONDS,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.home = home
        self.window_end = window_end
        self.table = table
        self.nrt_conn_id = connection_named(nrt_conn_id, conn_id)
        self.deferrable = deferrable
        self.earliest_event = earliest_event

    def execute(self, context: Context) -> Any:
        if not self.deferrable:
            return super().execute(context)
        if self.poke(context):
            return self.window_end
        from airflow_nrt.triggers.window import NrtWindowTrigger

        home, every = self._home(), float(self.poke_interval)
        trigger = NrtWindowTrigger(str(home.path), self.window_end, every, self.earliest_event, home.group, self.table)
        return self.defer(trigger=trigger, method_name="resume", timeout=timedelta(seconds=self.timeout))

    def resume(self, context: Context, event: dict[str, Any]) -> str:
        """Ends with the result of the trigger."""
        with ending_the_task(self.log):
            self._check_not_failed(event["error"])
        return self.window_end

    def poke(self, context: Context) -> bool:
        from airflow_nrt.triggers.window import WindowObservation, look_at_windows

        self._check_window_end()
        with ending_the_task(self.log):
            home = self._home()
            observation = (
                look_at_windows(str(home.path), home.group, self.table)
                if home.report_file.exists()
                else WindowObservation(None)
            )
            if observation.reaches(self.window_end):
                return True
            self._check_not_failed(observation.error)
        self.log.info(
            "%s", "; ".join([f"complete until {format_reached(observation.complete_until)}", *observation.waiting])
        )
        return False

    def _home(self) -> Home:
        from airflow_nrt.hooks.nrt import NrtHook

        return NrtHook(self.nrt_conn_id).home(self.home)

    def _check_window_end(self) -> None:
        with ending_the_task(self.log):
            try:
                parse_instant(self.window_end)
            except ValueError as wrong:
                raise InputError(f"window_end: {wrong}") from None

    def _check_not_failed(self, error: str | None) -> None:
        """Raises FinalError if the windows will never be published: the driver has ended with an error for which a
        restart would fail again, or the table has no windows."""
        if error is not None:
            raise FinalError(f"the window that ends at {self.window_end} will not become complete: {error}")
