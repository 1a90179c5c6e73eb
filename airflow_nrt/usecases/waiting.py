"""Waits until a home's stream has read what has arrived, so that a verification covers all of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from airflow_nrt.basics.durations import format_duration
from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.basics.texts import counted
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit
from airflow_nrt.home.log.fold.checkpoints import read_by
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.log.splits import Split
from airflow_nrt.launch.launch_records import pending_launch
from airflow_nrt.launch.living import living_driver
from airflow_nrt.model.plan import Plan

_LOOK_SECONDS = 1.0
_SAY_SECONDS = 10.0


class NotReadError(NrtError):
    """The stream has not read all files that had arrived. It may read them later."""

    passes = True


def wait_for_stream(plan: Plan, home: Home, patience: int, say: Callable[[str], None]) -> None:
    """Waits until the stream of a home has read all files that have arrived until now, `patience` milliseconds at most.

    If no stream ever ran there is nothing to wait for. Raises NotReadError if the time is over, or if no driver lives;
    InputError for a source whose server must be asked what has arrived.
    """
    if not patience:
        return
    # The engine is loaded only if it is needed.
    from airflow_nrt.engine.sources import source_of
    from airflow_nrt.engine.verify.unread import unread_without

    asked = next((one for one in plan.sources if source_of(one.table).needs_session), None)
    if asked is not None:
        raise InputError(
            f"table {asked.name!r}: what has arrived in a topic is not waited for: leave --wait-for-stream "
            "(wait_for_stream) out, and wait for a window, as NrtWindowSensor does"
        )
    log = home.log() if home.report_file.exists() else None
    read = read_by(log).sources if log is not None else {}
    if log is None or not read:
        say("no stream has run here: nothing to wait for")
        return
    unread = {one.name: one for one in unread_without(plan, read, True, None).splits}
    last_entry, began, next_message = log.last, time.monotonic(), 0.0
    while unread:
        passed = time.monotonic() - began
        waiting = f"{counted(len(unread), 'file')} ({counted(sum(one.size for one in unread.values()), 'byte')})"
        if passed * 1000 > patience:
            raise NotReadError(f"the stream has not read {waiting} within {format_duration(patience)}")
        # The launch is read before the driver: one that begins in between is found as one or the other.
        if pending_launch(home) is None and living_driver(home) is None:
            raise NotReadError(f"no driver runs in {home.path}, and {waiting} are not read: start the stream first")
        if passed >= next_message:
            next_message = passed + _SAY_SECONDS
            say(f"waiting until the stream has read {waiting}")
        time.sleep(_LOOK_SECONDS)
        last_entry = _drop_what_was_read(unread, log, last_entry)
    say(f"the stream has read what had arrived, after {time.monotonic() - began:.0f} s")


def _drop_what_was_read(unread: dict[str, Split], log: Log, last_entry: int) -> int:
    for entry in log.entries(last_entry + 1, log.refresh()):
        for split in entry.body.splits if isinstance(entry.body, Commit) else ():
            unread.pop(split.name, None)
    return log.last
