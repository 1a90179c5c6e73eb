"""What tells a process apart from all others that have its number: those before and after it, and of other containers.

A host's name says too little, as containers share one, and so does a time of the clock, which is only near the start.
The kernel of Linux knows the start exactly; of other systems nothing is said here.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import NamedTuple

HIGHEST_PID = 2**31 - 1
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_ENDED = (b"Z", b"X", b"x")


@dataclass(frozen=True)
class ProcessStart:
    """`boot` is the id that a kernel draws when it starts, `namespace` the inode of the pid namespace that a number is
    of, `ticks` when the process started, in clock ticks since the boot.
    """

    boot: str
    namespace: int
    ticks: int

    @classmethod
    def of(cls, pid: int) -> ProcessStart | None:
        """That of a process that runs here, None if there is none, or if the system doesn't say."""
        here, stat = _here(os.getpid()), read_stat(pid)
        if here is None or stat is None or stat.has_ended:
            return None
        return cls(*here, stat.ticks)

    @property
    def is_here(self) -> bool:
        """Whether the process's number means here what it meant there: same boot, same pid namespace."""
        return (self.boot, self.namespace) == _here(os.getpid())


class Stat(NamedTuple):
    """What the kernel says of a process. One that `has_ended` waits for its parent to take note."""

    has_ended: bool
    group: int
    session: int
    ticks: int


def read_stat(pid: int) -> Stat | None:
    """None if no process of this number is seen."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name before it may hold blanks and parentheses.
            fields = file.read().rpartition(b")")[2].split()
        return Stat(fields[0] in _ENDED, int(fields[2]), int(fields[3]), int(fields[19]))
    except (OSError, IndexError, ValueError):
        return None


@functools.cache
def _here(own_pid: int) -> tuple[str, int] | None:
    """This boot and this pid namespace, None where they are not known. Asked once a process."""
    try:
        # Else /proc shows another namespace's processes.
        if os.readlink("/proc/self") != str(own_pid):
            return None
        with open(_BOOT_ID, encoding="ascii") as file:
            return file.read().strip(), os.stat("/proc/self/ns/pid").st_ino
    except (OSError, ValueError):
        return None
