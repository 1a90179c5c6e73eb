"""Where tests write: into memory, if the machine has room there.

What a home keeps is durable before it counts, so the product waits for the disk with each record: twice 3 ms where we
measured it, some ten thousand times in a suite. Files in memory are the same to all code, and nothing waits.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import psutil

MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""Bytes. The suite needs less than one gigabyte; containers often have 64 MB there."""
_PREFIX = "nrt-tests-"


def write_into_memory() -> None:
    """For this process and those that it starts, unless TMPDIR says where to write."""
    if "TMPDIR" in os.environ or not _has_room(MEMORY):
        return
    own = MEMORY / f"{_PREFIX}{os.getpid()}"
    for place in MEMORY.glob(f"{_PREFIX}*"):
        # What a run leaves is there until the next one: of tests that failed, and of processes that were killed.
        if place == own or not psutil.pid_exists(int(place.name.removeprefix(_PREFIX))):
            shutil.rmtree(place, ignore_errors=True)
    # Servers of tests have users of their own, who must come through.
    own.mkdir(mode=0o711)
    os.environ["TMPDIR"] = str(own)
    tempfile.tempdir = None


def _has_room(place: Path) -> bool:
    """Whether much fits there, and programs may lie there: some tests write those that stand for Java or a shell."""
    if not (place.is_dir() and os.access(place, os.W_OK)):
        return False
    system = os.statvfs(place)
    return system.f_bavail * system.f_frsize >= ROOM and not system.f_flag & os.ST_NOEXEC
