"""Processes of this host, distinguished from all others: only the intended one is killed.

A home may have been written by anybody. So what it says about a process is checked on the process itself: its exact
start, its user, and its command line. The check and the signal use one handle (`pidfd`), so that a process that gets
the same pid meanwhile is not affected.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass

import psutil  # type: ignore[import-untyped]

from airflow_nrt.files.process_start import HIGHEST_PID, ProcessStart, read_stat
from airflow_nrt.home.heartbeat import Heartbeat
from airflow_nrt.launch.command_lines import CommandLine, Known

_INIT = 1
"""The first process of a host or a container. A driver may have this pid; it is never judged or killed."""


@dataclass(frozen=True)
class ProcessMark:
    """A process. `host` is a name, for people. `start` is None if a system or an older version does not have it.

    Raises ValueError for a pid that no process has.
    """

    host: str
    pid: int
    start: ProcessStart | None = None

    def __post_init__(self) -> None:
        if not _INIT <= self.pid <= HIGHEST_PID:
            raise ValueError(f"its pid is {self.pid}, which no process has")

    @classmethod
    def of(cls, pid: int) -> ProcessMark:
        """A process of this host that runs."""
        return cls(socket.gethostname(), pid, ProcessStart.of(pid))

    def is_gone(self) -> bool:
        """Whether it has certainly ended. Nothing is certain about a process of another host or container."""
        if self.pid == _INIT:
            return False
        if self.start is None:
            return self.host == socket.gethostname() and not psutil.pid_exists(self.pid)
        if not self.start.is_here:
            return False
        stat = read_stat(self.pid)
        if stat is None:
            # /proc may hide the processes of other users, which exist nevertheless.
            return not psutil.pid_exists(self.pid)
        return stat.has_ended or stat.ticks != self.start.ticks

    def kill(self, known: Known) -> bool:
        """Kills it if it runs here, belongs to this user, and has the expected command line. Returns whether it did."""
        with _handle_of(self.pid) as handle:
            return handle is not None and self._is_meant(known) and _send(handle, signal.SIGKILL)

    def kill_group(self, known: Known) -> bool:
        """Kills it as `kill` does, and all others of the process group that it leads. Returns whether it did."""
        with _handle_of(self.pid) as leader:
            # A stopped process can't end while its group is searched.
            if leader is None or not self._is_meant(known) or not _send(leader, signal.SIGSTOP):
                return False
            killed = {self.pid}
            while new := _group_of(self.pid) - killed:
                for pid in new:
                    self._kill_member(pid, leader)
                killed |= new
            return _send(leader, signal.SIGKILL)

    def _kill_member(self, pid: int, leader: int) -> None:
        with _handle_of(pid) as member:
            if member is not None and _is_in_group(pid, self.pid) and not _has_ended(leader):
                _send(member, signal.SIGKILL)

    def _is_meant(self, known: Known) -> bool:
        if self.pid == _INIT or self.start is None or ProcessStart.of(self.pid) != self.start:
            return False
        try:
            return os.stat(f"/proc/{self.pid}").st_uid == os.geteuid() and known(CommandLine.of(self.pid))
        except OSError:
            return False


def driver_process(beat: Heartbeat) -> ProcessMark:
    """The process of the driver that wrote this heartbeat."""
    return ProcessMark(beat.host, beat.pid, beat.process_start)


@contextlib.contextmanager
def _handle_of(pid: int) -> Iterator[int | None]:
    """A handle of a process, None if there is no process, or if the system has no handles (Linux before 5.3)."""
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield handle
    finally:
        os.close(handle)


def _send(handle: int, number: signal.Signals) -> bool:
    """Whether the signal was sent."""
    try:
        signal.pidfd_send_signal(handle, number)
    except OSError:
        return False
    return True


def _has_ended(handle: int) -> bool:
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(0))


def _group_of(leader: int) -> set[int]:
    """The running processes of a group, its leader included."""
    pids = (int(name) for name in os.listdir("/proc") if name.isdecimal())
    return {pid for pid in pids if _is_in_group(pid, leader)}


def _is_in_group(pid: int, leader: int) -> bool:
    stat = read_stat(pid)
    return stat is not None and not stat.has_ended and (stat.group, stat.session) == (leader, leader)
