"""How a task supervises the one driver of a home: adopt or launch, wait in the triggerer, restart, give up."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from airflow.sdk import Context

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.home.heartbeat import Heartbeat, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.tasks import STREAM
from airflow_nrt.launch.engine import place_report
from airflow_nrt.launch.launch_records import Launch, last_launch, pending_launch
from airflow_nrt.launch.living import kill_driver, living_driver
from airflow_nrt.launch.start import LaunchFailedError, await_driver, next_number, start_launch
from airflow_nrt.operators.messages.ending import FinalError
from airflow_nrt.operators.supervision.restarts import BudgetSpentError
from airflow_nrt.operators.supervision.stream_log import StreamLog
from airflow_nrt.operators.supervision.supervised import SupervisedOperator
from airflow_nrt.triggers.co_supervision import CoSupervision
from airflow_nrt.triggers.driver import NrtDriverTrigger
from airflow_nrt.triggers.driver_health import ENDED, LOST, STALLED, DriverWatch, Judgement
from airflow_nrt.triggers.task_state import is_given_up_now
from airflow_nrt.triggers.watcher import look


class Supervision:
    """One phase of a stream task in a worker. `endless` is as in `DriverWatch`.

    `before` is the last judgement of the trigger about the driver. Drivers up to the epoch `outdated` work on another
    report than that of the task, which is to take its place.
    """

    def __init__(
        self, task: SupervisedOperator, context: Context, home: Home, endless: bool, outdated: int = 0
    ) -> None:
        self.task = task
        self.log = task.log
        self.context = context
        self.home = home
        self.endless = endless
        self.outdated = outdated
        self.stream_log = StreamLog(task, context, home)
        self.before: Judgement | None = None
        self.others = CoSupervision(str(home.path), home.group, context.get("ti"), self.log)

    def answer(self, event: Mapping[str, Any], restarts: Sequence[float]) -> Any:
        """Ends the task, or restarts the driver and defers again. Raises FinalError, BudgetSpentError."""
        self.stream_log.keep_links()
        judgement = Judgement(**event)
        if judgement.kind == ENDED:
            self.log.info("the driver of epoch %s %s", judgement.epoch, judgement.why)
            return self._end()
        if judgement.final:
            self._fail(FinalError(judgement.why))
        self.log.warning("the driver of epoch %s is %s: %s", judgement.epoch, judgement.kind, judgement.why)
        is_killed = self._make_room(judgement)
        if judgement.kind == STALLED and self.task.on_stall == "fail":
            # A driver on another host can't be killed from here; it stops after its batch.
            self.home.ask_to_stop()
            done = "killed" if is_killed else "asked to stop"
            self._fail(FinalError(f"{judgement.why}; the driver was {done}"))
        if self._is_stop_asked(judgement):
            self.log.info("it was asked to stop, so no other one follows")
            return self._end()
        try:
            spent = self.task.restarts.spend(restarts, time.time(), judgement.why)
        except BudgetSpentError as failure:
            self._fail(failure)
        self.before = judgement
        return self.ensure(spent)

    def ensure(self, restarts: Sequence[float]) -> Any:
        """Ensures that one driver runs, and defers; ends the task if that driver ended already.

        Raises FinalError if no driver can begin.
        """
        self.others.begin()
        try:
            beat = self._ensure_driver()
        except LaunchFailedError as failed:
            why = self.stream_log.shown(str(failed))
            if failed.final:
                self._fail(FinalError(why))
            self.stream_log.say_driver_s_end()
            self.log.warning("%s", why)
            # It is kept in the database.
            self._wait(0, restarts, lost=shortened(why, 1500))
        self.stream_log.log_locations(beat)
        self.stream_log.keep_status()
        judgement = DriverWatch(self.task.watch, self.endless).judge(
            look(str(self.home.path), self.home.group), time.monotonic()
        )
        if judgement is not None and (judgement.kind == ENDED or judgement.final):
            return self.answer(judgement.to_json(), restarts)
        return self._wait(beat.epoch, restarts)

    def give_up(self) -> None:
        """Cancels a launch whose driver has not begun; a driver that has begun is asked to stop.

        Only if the task was given up: a cleared task leaves its driver to the next attempt. A driver that another task
        supervises goes on.
        """
        if not is_given_up_now(self.context["ti"]):
            return
        left, launch = self.others.end(), last_launch(self.home)
        if left or launch is None or launch.by != self._by():
            return
        beat = read_heartbeat(self.home.heartbeats)
        if beat is not None and beat.launch == launch.id:
            self.home.ask_to_stop()
        else:
            launch.kill(self.home)

    def _wait(self, epoch: int, restarts: Sequence[float], lost: str | None = None) -> NoReturn:
        trigger = NrtDriverTrigger(
            home=str(self.home.path),
            epoch=epoch,
            back_off=self.task.restarts.back_off(restarts, time.time()),
            lost=lost,
            endless=self.endless,
            group=self.home.group,
            **self.task.watch.to_json(),
        )
        home = {"home": str(self.home.path), "group": self.home.group}
        kept = {"restarts": list(restarts), "endless": self.endless, **home}
        self.task.defer(trigger=trigger, method_name="resume", kwargs=kept)

    def _end(self) -> Any:
        self.others.end()
        return self.stream_log.end()

    def _fail(self, failure: NrtError) -> NoReturn:
        """Raises it, after the last output of the driver in the log."""
        self.others.end()
        self.stream_log.keep_status()
        self.stream_log.say_driver_s_end()
        raise failure

    # ------------------------------------------------------------------ one driver

    def _ensure_driver(self) -> Heartbeat:
        """The heartbeat of the one driver: adopted, or launched. Raises LaunchFailedError."""
        while True:
            # The launch is read before the driver: one that begins in between is found as one or the other. The number
            # is read before both, so that only one launches of all tasks that see no driver.
            number, launch = next_number(self.home), pending_launch(self.home)
            beat = living_driver(self.home, self.before.epoch if self.before is not None else 0)
            if beat is not None and self._is_unwanted(beat):
                # The next driver takes a newer epoch, so this one can't commit any more.
                beat = None
            if beat is not None and self.home.is_stop_asked(beat.epoch, beat.launch):
                self._let_end(beat)
                continue
            if beat is not None:
                self.log.info("adopting the driver of epoch %s: process %s on %s", beat.epoch, beat.pid, beat.host)
                return beat
            if launch is not None:
                self.log.info("waiting for launch %s, by %s", launch.id, launch.by)
            else:
                launch = self._launch(number)
            if launch is not None:
                beat = await_driver(self.home, launch)
                self.log.info("the driver of epoch %s began: process %s on %s", beat.epoch, beat.pid, beat.host)
                return beat

    def _launch(self, number: int) -> Launch | None:
        # The file may have changed since the home was created.
        report, program = self.task.planned(self.home, self.task.on_change), self.task.program()
        if program is not None:
            copy = str(program.copied_to(self.home.launches.local))
        else:
            copy = str(place_report(self.home, self.task.report_file()))
        arguments = ["--report", copy, "--name", report.name, "--base", report.base]
        arguments += ["--launch", str(number)]
        if self.task.available_now:
            arguments.append("--available-now")
        arguments += ["--on-change", str(self.task.on_change)]
        given = self.task.report_settings()
        submission = self.task.hook.submission(self.home, report.name, arguments, given, report.jars)
        launch = start_launch(self.home, number, submission, int(self.task.startup_timeout * 1000), self._by())
        if launch is not None:
            self.task.note_in(self.home, STREAM)
            self.log.info("launched a driver: launch %s, launcher %s", number, launch.launcher.pid)
        return launch

    def _by(self) -> str:
        ti = self.context["ti"]
        return f"{ti.dag_id}.{ti.task_id} of {ti.run_id}, map index {ti.map_index}, try {ti.try_number}"

    def _is_stop_asked(self, judgement: Judgement) -> bool:
        """Whether the judged driver was asked to stop. For a driver that did not begin, only the launch is known."""
        if judgement.epoch:
            return self.home.is_stop_asked(judgement.epoch)
        launch = last_launch(self.home)
        return launch is not None and self.home.is_stop_asked(0, launch.id)

    def _is_unwanted(self, beat: Heartbeat) -> bool:
        if beat.epoch <= self.outdated:
            return True
        return self.before is not None and self.before.kind == STALLED and self.before.epoch == beat.epoch

    def _make_room(self, judgement: Judgement) -> bool:
        """Kills the lost driver if it hangs on this host, unless another has taken over meanwhile. Returns whether it
        did."""
        beat = read_heartbeat(self.home.heartbeats)
        if beat is None or beat.is_over or beat.epoch != judgement.epoch:
            return False
        if judgement.kind == LOST and living_driver(self.home, judgement.epoch) is not None:
            return False
        is_killed = kill_driver(self.home, beat)
        if is_killed:
            self.log.warning("killed the driver of epoch %s, process %s, which hung", beat.epoch, beat.pid)
        return is_killed

    def _let_end(self, beat: Heartbeat) -> None:
        """Waits for a driver that was asked to stop, and kills it if it hangs."""
        self.log.info("the driver of epoch %s was asked to stop: waiting until it has", beat.epoch)
        deadline = time.monotonic() + self.task.startup_timeout
        while living_driver(self.home) is not None:
            if time.monotonic() > deadline:
                if not kill_driver(self.home, beat):
                    raise LaunchFailedError(f"the driver of epoch {beat.epoch} does not stop on {beat.host}", False)
                return
            time.sleep(0.5)
