"""Starting a launch, and waiting for the first heartbeat of its driver."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Sequence

import pendulum

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.texts import shortened
from airflow_nrt.files.private_files import open_private
from airflow_nrt.home.driver_log import cause_in, last_lines_or_reason
from airflow_nrt.home.heartbeat import Heartbeat, now_ms, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import launch_failure
from airflow_nrt.launch.command_lines import LAUNCHER
from airflow_nrt.launch.driver_environment import needed_environment
from airflow_nrt.launch.launch_records import Launch, last_launch, put_launch
from airflow_nrt.launch.processes import ProcessMark
from airflow_nrt.launch.submission import Submission

_LOOK_SECONDS = 0.5


class LaunchFailedError(NrtError):
    """A driver could not begin; `final` if another driver would fail in the same way."""

    def __init__(self, reason: str, final: bool) -> None:
        super().__init__(shortened(reason))
        self.final = final


def next_number(home: Home) -> int:
    """The number of the next launch."""
    last = last_launch(home)
    return last.number + 1 if last is not None else 1


def start_launch(home: Home, number: int, submission: Submission, patience: int, by: str) -> Launch | None:
    """Launches a driver in a process that outlives this one; None if another launch got the number first.

    The launcher waits for its submission until its record is durable. So a driver never runs without a record, and the
    successor of a killed worker finds the launch.
    """
    environment = _environment(submission.environment)
    with open(open_private(home.driver_log.local, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as output:
        begin = output.tell()
        of_home = [str(home.path), str(number), *([home.group] if home.group is not None else [])]
        launcher = subprocess.Popen(
            [sys.executable, "-m", LAUNCHER, *of_home], env=environment,
            stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True, cwd=os.sep,
        )  # fmt: skip
    assert launcher.stdin is not None
    launch = Launch(number, ProcessMark.of(launcher.pid), now_ms(), patience, by, begin)
    try:
        if not put_launch(home, launch):
            return None
        # A launcher that died at once is found by its absence.
        with contextlib.suppress(BrokenPipeError):
            launcher.stdin.write(submission.to_json().encode())
    finally:
        with contextlib.suppress(BrokenPipeError):
            launcher.stdin.close()
    return launch


def _environment(named: Sequence[str]) -> dict[str, str]:
    """The launcher's environment: none of Airflow's secrets, and no database (that of a task points to one that does
    not exist)."""
    homes = {"AIRFLOW_HOME": os.environ["AIRFLOW_HOME"]} if "AIRFLOW_HOME" in os.environ else {}
    return {**needed_environment(named), **homes, "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": "sqlite://"}


def await_driver(home: Home, launch: Launch) -> Heartbeat:
    """The first heartbeat of a launched driver, or of another driver that began meanwhile.

    Raises LaunchFailedError if the driver said why it can't begin, if its launcher ended, or if it is overdue.
    """
    before = read_heartbeat(home.heartbeats)
    epoch = before.epoch if before is not None else 0
    while True:
        is_over, is_overdue = launch.launcher.is_gone(), launch.is_overdue()
        beat = read_heartbeat(home.heartbeats)
        if beat is not None and (beat.launch == launch.id or beat.epoch > epoch):
            return beat
        failure = launch_failure(home, launch.id)
        if failure is not None:
            raise LaunchFailedError(failure.error, failure.final)
        if is_over:
            cause = cause_in(last_lines_or_reason(home, begin=launch.output))
            raise LaunchFailedError(f"the driver ended before its first heartbeat: {cause}", False)
        if is_overdue:
            launch.kill(home)
            raise LaunchFailedError(
                f"no heartbeat of launch {launch.id} within {_in_words(launch.patience)} (startup_timeout): "
                f"{cause_in(last_lines_or_reason(home, begin=launch.output))}",
                False,
            )
        time.sleep(_LOOK_SECONDS)


def _in_words(ms: int) -> str:
    return pendulum.duration(milliseconds=ms).in_words()
