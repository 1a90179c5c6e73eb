"""Processes of this host, told apart from later ones that got the same number."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from dataclasses import dataclass

import psutil  # type: ignore[import-untyped]

from airflow_nrt.report.heartbeat import Heartbeat

_CLOCK_SLACK = 2.0
"""Seconds by which a process's start time may be off: the kernel counts from a boot time that is rounded."""


@dataclass(frozen=True)
class ProcessMark:
    """A process that was running at `seen` (seconds since 1970): one that was created later is another."""

    host: str
    pid: int
    seen: float

    @property
    def is_here(self) -> bool:
        return self.host == socket.gethostname()

    def is_gone(self) -> bool:
        """Whether it has certainly ended. Of another host's processes nothing is certain."""
        return self.is_here and not self._is_running()

    def kill(self) -> bool:
        """Kills it if it runs on this host; whether it did."""
        if not self.is_here or not self._is_running():
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return True

    def kill_group(self) -> bool:
        """Kills it and all others of the process group that it leads, if it runs on this host; whether it did."""
        if not self.is_here or not self._is_running():
            return False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        return True

    def _is_running(self) -> bool:
        try:
            process = psutil.Process(self.pid)
            return bool(process.status() != psutil.STATUS_ZOMBIE and process.create_time() <= self.seen + _CLOCK_SLACK)
        except psutil.NoSuchProcess:
            return False


def driver_process(beat: Heartbeat) -> ProcessMark:
    """The process of the driver that wrote this heartbeat."""
    return ProcessMark(beat.host, beat.pid, beat.started / 1000)
