"""What distinguishes a process from others of the same pid: earlier and later ones, and those of other containers.

A host name is not enough, because containers share one. A time of the clock is not enough, because it is only near the
start. The kernel of Linux knows the start exactly; on other systems it is unknown.
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
    """`boot` is the id of the kernel's boot, `namespace` the inode of the pid namespace, `ticks` the start of the
    process in clock ticks since the boot.
    """

    boot: str
    namespace: int
    ticks: int

    @classmethod
    def of(cls, pid: int) -> ProcessStart | None:
        """The start of a process that runs here, None if there is none, or if the system doesn't say."""
        here, stat = _here(os.getpid()), read_stat(pid)
        if here is None or stat is None or stat.has_ended:
            return None
        return cls(*here, stat.ticks)

    @property
    def is_here(self) -> bool:
        """Whether a pid means the same for both: same boot, same pid namespace."""
        return (self.boot, self.namespace) == _here(os.getpid())


class Stat(NamedTuple):
    """The state of a process in the kernel. One that `has_ended` is a zombie: its parent has not waited for it yet."""

    has_ended: bool
    group: int
    session: int
    ticks: int


def read_stat(pid: int) -> Stat | None:
    """None if no process of this pid is visible."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name before it may hold blanks and parentheses.
            fields = file.read().rpartition(b")")[2].split()
        return Stat(fields[0] in _ENDED, int(fields[2]), int(fields[3]), int(fields[19]))
    except (OSError, IndexError, ValueError):
        return None


@functools.cache
def _here(own_pid: int) -> tuple[str, int] | None:
    """This boot and this pid namespace, None where they are unknown. Read once per process."""
    try:
        # Otherwise /proc shows the processes of another namespace.
        if os.readlink("/proc/self") != str(own_pid):
            return None
        with open(_BOOT_ID, encoding="ascii") as file:
            return file.read().strip(), os.stat("/proc/self/ns/pid").st_ino
    except (OSError, ValueError):
        return None
