"""Output of a stream task in a worker: where everything is, the status of the report, the last output of its driver."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from airflow.sdk import Context

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.home.driver_log import last_lines_or_reason
from airflow_nrt.home.heartbeat import Heartbeat, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import read_pulse, read_status
from airflow_nrt.launch.launch_records import last_launch
from airflow_nrt.operators.common import NrtBaseOperator
from airflow_nrt.triggers.progress import STATUS, end_xcom, status_xcom

_NO_UI = "none: spark.ui.enabled is false, as it is by default of local masters"


class StreamLog:
    """The log, the XComs and the state store of one attempt."""

    def __init__(self, task: NrtBaseOperator, context: Context, home: Home) -> None:
        self.task = task
        self.log = task.log
        self.context = context
        self.home = home

    def keep_links(self) -> None:
        """Keeps the links of an earlier phase, after the trigger has answered."""
        beat = None
        with suppress(NrtError):
            beat = read_heartbeat(self.home.heartbeats)
        self.task.keep_links(self.home, beat.ui if beat is not None else "")

    def log_locations(self, beat: Heartbeat) -> None:
        """Logs the home, the driver's log and Spark's UI; links to them work from now on."""
        self.task.show_home(self.context, self.home, beat.ui)
        self.log.info("driver log %s", self.home.driver_log)
        self.log.info("Spark UI %s", beat.ui or _NO_UI)

    def end(self) -> dict[str, Any]:
        """The return value of the task. Raises HomeError."""
        self.keep_status()
        return end_xcom(read_status(self.home))

    def keep_status(self) -> None:
        """Writes it to the XCom that the trigger keeps current, and to the task's own store, which a trigger can't
        write."""
        with suppress(NrtError):
            status = status_xcom(read_pulse(self.home))
            self.context["ti"].xcom_push(STATUS, status)
            store = self.context.get("task_state_store")
            if store is not None:
                store.set(STATUS, status)

    def say_driver_s_end(self) -> None:
        """Logs the last lines of output of the newest launch. A home that can't be read has none."""
        with suppress(NrtError):
            launch = last_launch(self.home)
            lines = last_lines_or_reason(self.home, begin=launch.output if launch is not None else 0, shown=self.shown)
            if lines:
                self.log.info("the end of %s:", self.home.driver_log)
            for line in lines:
                self.log.info("  %s", line)

    def shown(self, text: str) -> str:
        """The line without the masked values; if the task's settings are wrong now, Airflow still masks them."""
        with suppress(InputError):
            return self.task.report_settings().shown(text)
        return text
