"""Asks the driver of a home to stop after its batch, and waits until it has."""

from __future__ import annotations

import time
from collections.abc import Callable

from airflow_nrt.home.heartbeat import Heartbeat, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.launch.living import DIED, is_stopping
from airflow_nrt.launch.processes import driver_process
from airflow_nrt.usecases.requests.stop import StopRequest, StopResult

_LOOK_SECONDS = 0.2
SILENT = "fell silent"
"""Its process may still live, on another host for example."""


def stop(request: StopRequest, asked: Callable[[int], None] = lambda epoch: None) -> StopResult:
    """`asked` is called with the epoch up to which drivers were asked. Raises InputError if there is no home."""
    home = Home.open(request.home, request.group)
    deadline = time.monotonic() + request.timeout
    # Asked in any case: a driver that is being launched, or launched again, must stop too.
    epoch = home.ask_to_stop()
    asked(epoch)
    was_there = False
    while is_stopping(home):
        was_there = True
        if time.monotonic() > deadline:
            return StopResult(epoch, was_there, False, read_heartbeat(home.heartbeats), None)
        time.sleep(_LOOK_SECONDS)
    last = read_heartbeat(home.heartbeats)
    return StopResult(epoch, was_there, True, last, None if last is None else _end_of(last))


def _end_of(beat: Heartbeat) -> str:
    if beat.is_over:
        return beat.state
    return DIED if driver_process(beat).is_gone() else SILENT
