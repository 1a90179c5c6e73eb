"""The file system of a path, from the kernel's table of mounts, without access to one that may hang."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_TABLE = "/proc/self/mountinfo"
_LOCAL = frozenset("bcachefs btrfs ext2 ext3 ext4 f2fs jfs overlay ramfs rootfs tmpfs xfs zfs".split())
"""Local file systems: a link on them is read without waiting for another host."""
_KNOWN_SECONDS = 60
_MOST_LINKS = 40


@dataclass(frozen=True)
class Mount:
    """`device` is the same for all mounts of one file system."""

    device: str
    is_local: bool


Mounts = Mapping[str, Mount]
"""The mounts by path."""


def file_system_of(path: str) -> str:
    """The device of an absolute path, empty where the system doesn't say. It is read once a minute."""
    return _known(path, int(time.monotonic() // _KNOWN_SECONDS))


@lru_cache(maxsize=4096)
def _known(path: str, minute: int) -> str:
    mounts = _table(minute)
    return device_of(path, mounts) if mounts else ""


@lru_cache(maxsize=1)
def _table(minute: int) -> Mounts:
    try:
        with open(_TABLE, encoding="utf-8", errors="surrogateescape") as table:
            return parse_mounts(table.read())
    except OSError:
        return {}


def parse_mounts(table: str) -> Mounts:
    """Reads `mountinfo`. A later mount covers an earlier one."""
    mounts = {}
    for line in table.splitlines():
        fields, _, rest = line.partition(" - ")
        device, path = fields.split(" ")[2], fields.split(" ")[4]
        mounts[_unescaped(path)] = Mount(device, rest.split(" ")[0] in _LOCAL)
    return mounts


def device_of(path: str, mounts: Mounts) -> str:
    """The device of an absolute path; links are followed only on file systems that can't hang."""
    at, names, links = "/", path.split("/")[::-1], 0
    mount = mounts.get("/", Mount("", False))
    while names and mount.is_local and links < _MOST_LINKS:
        name = names.pop()
        step = os.path.normpath(os.path.join(at, name))
        mount = _mount_of(step, mounts)
        if not mount.is_local:
            at = step
            break
        try:
            target = os.readlink(step)
        except OSError:
            at = step
            continue
        links += 1
        names += target.split("/")[::-1]
        at = "/" if target.startswith("/") else at
    return _mount_of(os.path.normpath(os.path.join(at, *names[::-1])), mounts).device


def _mount_of(path: str, mounts: Mounts) -> Mount:
    while path not in mounts and path != "/":
        path = os.path.dirname(path)
    return mounts.get(path, Mount("", False))


def _unescaped(path: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), path)
