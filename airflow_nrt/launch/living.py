"""Whether a home has a driver that lives, as far as this can be known from outside."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.home.heartbeat import RUNNING, STARTING, Heartbeat, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import STALE_MS, Status, read_status
from airflow_nrt.launch.command_lines import driver_of
from airflow_nrt.launch.launch_records import last_launch, pending_launch
from airflow_nrt.launch.processes import driver_process

CERTAINTY_SECONDS = 5.0
"""How long a driver must be silent before a clock or the process table is believed; it beats every second."""
_LOOK_SECONDS = 0.5
DIED = "died"
"""The state of a driver whose process is gone, although its heartbeat does not say that it ended."""


def living_driver(home: Home, lost: int = 0) -> Heartbeat | None:
    """The heartbeat of a driver that lives, None if none does. `lost` is the epoch of a driver that was found dead.

    Clocks of two hosts may differ: so a heartbeat that looks dead, or is from the future, is watched for a while.
    A lease without a heartbeat belongs to a driver that is just beginning, or that died while it began.
    """
    beat = read_heartbeat(home.heartbeats)
    until = time.monotonic() + CERTAINTY_SECONDS
    while True:
        begins = home.log().epoch() > (beat.epoch if beat is not None else 0)
        if not begins and (beat is None or beat.is_over):
            return None
        if beat is not None and not beat.is_over and abs(beat.age()) < STALE_MS and not driver_process(beat).is_gone():
            return beat
        if time.monotonic() > until or (not begins and beat is not None and beat.epoch == lost):
            return None
        time.sleep(_LOOK_SECONDS)
        newer = read_heartbeat(home.heartbeats)
        if newer is not None and beat is not None and not newer.is_over and newer.beat > beat.beat:
            return newer
        beat = newer


def is_beginning(home: Home) -> bool:
    """Whether a driver was launched that may still begin. A launch record that can't be read is none."""
    with suppress(HomeError):
        return pending_launch(home) is not None
    return False


def living_status(home: Home) -> Status:
    """The status of a home, where a dead driver is neither `running` nor merely `silent`, and one that was launched is
    `starting`.

    Raises HomeError if the home can't be read.
    """
    status = read_status(home)
    beat = status.heartbeat
    if status.driver not in (RUNNING, STARTING) and is_beginning(home):
        return replace(status, driver=STARTING)
    if beat is None or beat.is_over or not driver_process(beat).is_gone() or living_driver(home) is not None:
        return status
    return replace(status, driver=DIED)


def is_stopping(home: Home) -> bool:
    """Whether a driver lives, or was launched and may still begin, that was asked to stop."""
    # The launch is read before the driver: one that begins in between is found as one or the other.
    launch = pending_launch(home)
    beat = living_driver(home)
    if beat is not None:
        return home.is_stop_asked(beat.epoch, beat.launch)
    return launch is not None and home.is_stop_asked(0, launch.id)


def kill_driver(home: Home, beat: Heartbeat) -> bool:
    """Kills a driver that hangs, and its launcher, if they run on this host as this user. Returns whether it did.

    A driver on another host is left to the lease: the next driver takes a newer epoch, so this one can't commit.
    """
    launch = last_launch(home)
    group = launch is not None and launch.id == beat.launch and launch.kill(home)
    return driver_process(beat).kill(driver_of(home, beat.launch)) or group
