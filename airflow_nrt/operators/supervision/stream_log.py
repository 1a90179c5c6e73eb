"""What a stream task says in a worker: where everything is, how the report is doing, what its driver said last."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from airflow.sdk import Context

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.home.driver_log import last_lines_or_reason
from airflow_nrt.home.heartbeat import Heartbeat, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import read_pulse, read_status
from airflow_nrt.launch.records import last_launch
from airflow_nrt.operators.common import NrtBaseOperator
from airflow_nrt.triggers.progress import STATUS, end_xcom, status_xcom

_NO_UI = "none: spark.ui.enabled is false, as it is by default of local masters"


class StreamLog:
    """The log, the XComs and the store of one attempt."""

    def __init__(self, task: NrtBaseOperator, context: Context, home: Home) -> None:
        self.task = task
        self.log = task.log
        self.context = context
        self.home = home

    def keep_links(self) -> None:
        """Those of an earlier phase, where the trigger has answered."""
        beat = None
        with suppress(NrtError):
            beat = read_heartbeat(self.home.heartbeats)
        self.task.keep_links(self.home, beat.ui if beat is not None else "")

    def say_where(self, beat: Heartbeat) -> None:
        """The home, the driver's log and Spark's pages; links to them work from now on."""
        self.task.show_home(self.context, self.home, beat.ui)
        self.log.info("driver log %s", self.home.driver_log)
        self.log.info("Spark UI %s", beat.ui or _NO_UI)

    def end(self) -> dict[str, Any]:
        """What the task returns. Raises HomeError."""
        self.keep_status()
        return end_xcom(read_status(self.home))

    def keep_status(self) -> None:
        """In the XCom that the trigger keeps current, and in the task's own store, which a trigger can't write."""
        with suppress(NrtError):
            status = status_xcom(read_pulse(self.home))
            self.context["ti"].xcom_push(STATUS, status)
            store = self.context.get("task_state_store")
            if store is not None:
                store.set(STATUS, status)

    def say_driver_s_end(self) -> None:
        """The last lines of what the newest launch has printed. A home that can't be read has none."""
        with suppress(NrtError):
            launch = last_launch(self.home)
            lines = last_lines_or_reason(self.home, begin=launch.output if launch is not None else 0, shown=self.shown)
            if lines:
                self.log.info("the end of %s:", self.home.driver_log)
            for line in lines:
                self.log.info("  %s", line)

    def shown(self, text: str) -> str:
        """Without the masked values; where the task's settings are wrong by now, Airflow still knows them."""
        with suppress(InputError):
            return self.task.report_settings().shown(text)
        return text
