"""Reads from file systems that may hang: one that hangs blocks no answer about others, and only few threads."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from airflow_nrt.triggers.mounts import file_system_of

SECONDS = 3.0
_MOST_WAITING = 8
"""The threads for one file system, and so the requests that it can answer at once."""

_waiting: Counter[str] = Counter()
_lock = threading.Lock()


def answers_in_time(path: Path, read: Callable[[], None]) -> bool:
    """Whether the file system of a path let `read` finish in time; else `read` may go on in a thread of its own.

    If too many threads wait for the file system already, it is not read. `read` must not raise.
    """
    device = file_system_of(str(path))
    with _lock:
        if _waiting[device] >= _MOST_WAITING:
            return False
        _waiting[device] += 1
    thread = threading.Thread(target=_run, args=(device, read), daemon=True)
    thread.start()
    thread.join(SECONDS)
    return not thread.is_alive()


def _run(device: str, read: Callable[[], None]) -> None:
    try:
        read()
    finally:
        with _lock:
            _waiting[device] -= 1
