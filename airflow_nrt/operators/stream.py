"""Running a report's stream: exactly one driver, which outlives the worker and the triggerer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NoReturn

from airflow.sdk import Context
from airflow.sdk.exceptions import AirflowFailException

from airflow_nrt.launch.living import living_driver, put_down
from airflow_nrt.launch.records import Launch, pending_launch
from airflow_nrt.launch.start import LaunchFailedError, await_driver, next_number, start_launch
from airflow_nrt.operators.common import NrtBaseOperator, ending_the_task, status_xcom
from airflow_nrt.operators.restarts import RestartPolicy
from airflow_nrt.report.heartbeat import Heartbeat, read_heartbeat
from airflow_nrt.report.home import Home
from airflow_nrt.report.plan import Plan
from airflow_nrt.report.status import read_status
from airflow_nrt.triggers.driver import EARLIEST_SECONDS, NrtDriverTrigger
from airflow_nrt.triggers.task_state import is_given_up_now
from airflow_nrt.triggers.vigil import BROKEN, ENDED, LOST, STALLED, Judgement, Sight, Vigil

FAIL, RESTART = "fail", "restart"


class NrtStreamOperator(NrtBaseOperator):
    """Ensures that one driver runs a report, and ends when that driver does.

    It adopts a driver that runs, or a launch that is under way, else it launches one; then it waits in the triggerer. A
    driver that is lost is restarted with back-off; one that was fenced is followed to its successor. Data errors and
    wrong input fail the task for good. Marking the task failed, skipped or successful asks the driver to stop after
    its batch; clearing it does not: the new attempt adopts the driver. Where no triggerer watches at that moment nobody
    asks: the driver goes on until the next run adopts it, or until `NrtStopOperator` or `airflow-nrt stop`.

    The return value tells the report's status at the end.

    :param available_now: end when all that has arrived is absorbed
    :param startup_timeout: seconds until the first heartbeat of a driver that was launched
    :param max_restarts: restarts within `restart_window` seconds before the task fails
    :param restart_delay: seconds before the first restart; each further one within the window waits twice as long
    :param max_restart_delay: the longest such wait, in seconds
    :param stall_timeout: seconds without progress, while bytes wait to be read, that make a stall; None: never
    :param on_stall: `restart` the driver, or `fail`: ask it to stop, and fail the task
    :param silence_timeout: seconds without a heartbeat after which a driver counts as lost
    :param poll_interval: seconds between looks at the home
    """

    def __init__(
        self,
        *,
        available_now: bool = False,
        startup_timeout: float = 180.0,
        max_restarts: int = 5,
        restart_window: float = 3600.0,
        restart_delay: float = 2.0,
        max_restart_delay: float = 300.0,
        stall_timeout: float | None = None,
        on_stall: str = RESTART,
        silence_timeout: float = 15.0,
        poll_interval: float = 2.0,
        earliest_event: float = EARLIEST_SECONDS,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if on_stall not in (FAIL, RESTART):
            raise ValueError(f"on_stall must be {FAIL!r} or {RESTART!r}, not {on_stall!r}")
        self.available_now = available_now
        self.startup_timeout = startup_timeout
        self.restarts = RestartPolicy(max_restarts, restart_window, restart_delay, max_restart_delay)
        self.stall_timeout = stall_timeout
        self.on_stall = on_stall
        self.silence_timeout = silence_timeout
        self.poll_interval = poll_interval
        self.earliest_event = earliest_event
        self._launched: tuple[Home, Launch] | None = None
        self._task_instance: Any = None

    def execute(self, context: Context) -> Any:
        with ending_the_task():
            return self._supervise(context, [])

    def resume(self, context: Context, event: dict[str, Any], restarts: Sequence[float]) -> Any:
        """Goes on after the trigger: ends, fails, or restarts."""
        judgement = Judgement(**event)
        with ending_the_task():
            plan = self.load_plan()
            return self._answer(context, plan, self.open_home(plan), judgement, restarts)

    def _answer(self, context: Context, plan: Plan, home: Home, judgement: Judgement, restarts: Sequence[float]) -> Any:
        if judgement.kind == ENDED:
            self.log.info("the driver of epoch %s %s", judgement.epoch, judgement.why)
            return status_xcom(read_status(home))
        if judgement.final:
            raise AirflowFailException(judgement.why)
        if judgement.kind == STALLED and self.on_stall == FAIL:
            home.ask_to_stop()
            raise AirflowFailException(f"{plan.name}: {judgement.why}; its driver was asked to stop")
        self.log.warning("the driver of epoch %s is %s: %s", judgement.epoch, judgement.kind, judgement.why)
        spent = self.restarts.spend(restarts, time.time(), judgement.why)
        self._make_room(home, judgement)
        return self._supervise(context, spent, judgement.epoch)

    def _make_room(self, home: Home, judgement: Judgement) -> None:
        """Kills the lost driver if it hangs on this host, unless somebody has taken over meanwhile."""
        beat = read_heartbeat(home.heartbeat_file)
        if judgement.kind == BROKEN or beat is None or beat.epoch != judgement.epoch:
            return
        if judgement.kind == LOST and living_driver(home, judgement.epoch) is not None:
            return
        if put_down(home, beat):
            self.log.warning("killed the driver of epoch %s, process %s, which hung", beat.epoch, beat.pid)

    # ------------------------------------------------------------------ one driver

    def _supervise(self, context: Context, restarts: Sequence[float], lost: int = 0) -> Any:
        """Ends the task, or defers it. `lost` is the epoch of a driver that is known to be dead."""
        plan = self.load_plan()
        home = self.open_home(plan)
        try:
            beat = self._ensure_driver(context, plan, home, lost)
        except LaunchFailedError as failed:
            if failed.final:
                raise AirflowFailException(str(failed)) from None
            self.log.warning("%s", failed)
            self._wait(home, 0, restarts, lost=str(failed)[-1500:])
        judgement = Vigil().judge(Sight(beat), time.monotonic())
        if judgement is not None and (judgement.kind == ENDED or judgement.final):
            return self._answer(context, plan, home, judgement, restarts)
        return self._wait(home, beat.epoch, restarts)

    def _wait(self, home: Home, epoch: int, restarts: Sequence[float], lost: str | None = None) -> NoReturn:
        trigger = NrtDriverTrigger(
            home=str(home.path),
            epoch=epoch,
            back_off=self.restarts.back_off(restarts, time.time()),
            stall_timeout=self.stall_timeout,
            silence=self.silence_timeout,
            poll_interval=self.poll_interval,
            earliest=self.earliest_event,
            lost=lost,
        )
        self.defer(trigger=trigger, method_name="resume", kwargs={"restarts": list(restarts)})

    def _ensure_driver(self, context: Context, plan: Plan, home: Home, lost: int) -> Heartbeat:
        """The heartbeat of the one driver: adopted, or launched. Raises LaunchFailedError."""
        while True:
            beat = living_driver(home, lost)
            if beat is not None and home.is_stop_asked(beat.epoch):
                self._let_end(home, beat)
                continue
            if beat is not None:
                self.log.info("adopting the driver of epoch %s: process %s on %s", beat.epoch, beat.pid, beat.host)
                return beat
            launch = pending_launch(home)
            if launch is not None:
                self.log.info("waiting for launch %s, by %s", launch.id, launch.by)
            else:
                launch = self._launch(context, plan, home)
            if launch is not None:
                beat = await_driver(home, launch)
                self.log.info("the driver of epoch %s began: process %s on %s", beat.epoch, beat.pid, beat.host)
                return beat

    def _launch(self, context: Context, plan: Plan, home: Home) -> Launch | None:
        number = next_number(home)
        arguments = ["--report", str(self.report_file()), "--launch", str(number)]
        for key, value in sorted(self.report_settings().items()):
            arguments += ["--set", f"{key}={value}"]
        if self.available_now:
            arguments.append("--available-now")
        submission = self.hook.submission(home, plan.name, arguments)
        ti = self._task_instance = context["ti"]
        by = f"{ti.dag_id}.{ti.task_id} of {ti.run_id}, map index {ti.map_index}, try {ti.try_number}"
        launch = start_launch(home, number, submission, int(self.startup_timeout * 1000), by)
        if launch is not None:
            self.log.info("launched a driver: launch %s, launcher %s", launch.id, launch.launcher.pid)
            self._launched = (home, launch)
        return launch

    def _let_end(self, home: Home, beat: Heartbeat) -> None:
        """Waits for a driver that was asked to stop, and kills it if it hangs."""
        self.log.info("the driver of epoch %s was asked to stop: waiting until it has", beat.epoch)
        deadline = time.monotonic() + self.startup_timeout
        while living_driver(home) is not None:
            if time.monotonic() > deadline:
                if not put_down(home, beat):
                    raise LaunchFailedError(f"the driver of epoch {beat.epoch} does not stop on {beat.host}", False)
                return
            time.sleep(0.5)

    def on_kill(self) -> None:
        """Takes back a launch whose driver has not begun; one that has begun is asked to stop.

        Only if the task was given up: a cleared one leaves its driver to the next attempt.
        """
        if self._launched is None or not is_given_up_now(self._task_instance):
            return
        home, launch = self._launched
        beat = read_heartbeat(home.heartbeat_file)
        if beat is not None and beat.launch == launch.id:
            home.ask_to_stop()
        else:
            launch.launcher.kill_group()
