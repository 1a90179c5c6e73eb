"""The directories for the blocks of shuffles and caches, which hold rows: only this user can enter them.

Spark itself makes them readable for everybody, in `/tmp` by default. Here each process makes its own below the places
that are configured (`spark.local.dir`, SPARK_LOCAL_DIRS). Java removes them when it ends. Those of a driver that was
killed are removed by the next session of the same user (docs/decisions/58-private-blocks.md).
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from tempfile import mkdtemp
from threading import Thread
from typing import Any

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.spark.gateway import BLOCKS

SETTING, TEMPORARY = "spark.local.dir", "java.io.tmpdir"
PREFIX = "airflow-nrt-blocks-"
_OF_MANAGERS = ("CONTAINER_ID", "SPARK_EXECUTOR_DIRS")
"""Variables by which the manager of a cluster gives a driver directories that are its own, whatever the settings."""
_OF_SUBMIT = "PYSPARK_GATEWAY_PORT"
"""The variable that is set where Java was there before this process, with an environment of its own."""


def private_blocks(jvm: Any, given: Mapping[str, str]) -> dict[str, str]:
    """The settings by which Spark uses private directories of this process, below those that are `given`.

    Raises InputError if none can be made.
    """
    is_fixed = _OF_SUBMIT in os.environ and BLOCKS in os.environ
    if is_fixed or any(name in os.environ for name in _OF_MANAGERS):
        return {}
    system = java_class(jvm, "java.lang.System")
    roots = os.environ.get(BLOCKS) or given.get(SETTING) or _default(system)
    made = made_below(tuple(one.strip() for one in roots.split(",")))
    hooks = java_class(jvm, "org.apache.spark.util.ShutdownHookManager")
    for one in made:
        hooks.registerShutdownDeleteDir(java_class(jvm, "java.io.File")(one))
    if SETTING in given or len(made) > 1:
        return {SETTING: ",".join(made)}
    # The default of the setting. Whenever that is set, Spark warns that the manager of a cluster may ignore it.
    system.setProperty(TEMPORARY, *made)
    return {}


def close_blocks(session: SparkSession) -> None:
    """Closes the directories that Spark really uses to others, whoever has chosen them."""
    context: Any = session.sparkContext
    used = context._jsc.sc().env().blockManager().diskBlockManager().localDirs()
    for n in range(len(used)):
        os.chmod(str(used[n].getPath()), stat.S_IRWXU)


def _default(system: Any) -> str:
    temporary = str(system.getProperty(TEMPORARY))
    # An earlier session of this process has changed it.
    return os.path.dirname(temporary) if os.path.basename(temporary).startswith(PREFIX) else temporary


@cache
def made_below(roots: tuple[str, ...]) -> tuple[str, ...]:
    """A new directory for this process below each of these places. Raises InputError if none can be made."""
    made: list[str] = []
    reasons = []
    for root in roots:
        try:
            os.makedirs(root, exist_ok=True)
            made.append(_made(root))
        except OSError as wrong:
            reasons.append(str(wrong))
    if not made:
        raise InputError(
            f"Spark has no directory for its blocks ({'; '.join(reasons)}): correct {BLOCKS} or '{SETTING}'"
        )
    Thread(target=remove_left, args=(roots,), name="blocks of killed drivers", daemon=True).start()
    return tuple(made)


def _made(root: str) -> str:
    """A new directory, locked by this process until it ends."""
    while True:
        place = mkdtemp(prefix=PREFIX, dir=root)
        handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with suppress(OSError):
            # Somebody who takes it for one that was left has it for a moment.
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.path.isdir(place):
            return place
        os.close(handle)


def remove_left(roots: Sequence[str]) -> None:
    """Removes what killed processes of this user have left below these places."""
    for root in roots:
        with suppress(OSError):
            left = [one.path for one in os.scandir(root) if one.name.startswith(PREFIX)]
            for place in left:
                _remove_unless_in_use(place)


def _remove_unless_in_use(place: str) -> None:
    with suppress(OSError):
        handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if os.fstat(handle).st_uid == os.geteuid():
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(place, ignore_errors=True)
        finally:
            os.close(handle)
