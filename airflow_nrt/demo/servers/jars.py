"""The jars of servers, fetched once into this environment."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from airflow_nrt.basics.errors import InputError

_PLACE = Path(sys.prefix) / "share" / "airflow-nrt" / "servers"


def has_jars(name: str) -> bool:
    return (_PLACE / name).is_dir()


def jars_of(name: str, coordinates: Sequence[str], repository: str | None = None) -> Path:
    """The directory with these jars and all that they need; they are fetched if it is not there.

    `repository` is asked before Maven Central. Raises InputError if they can't be had.
    """
    from airflow_nrt.engine.java.fetch_jars import resolve
    from airflow_nrt.engine.java.finding import ensure_java

    place = _PLACE / name
    _PLACE.mkdir(parents=True, exist_ok=True)
    with open(_PLACE / f"{name}.lock", "w") as lock:
        # One process fetches, the others wait for it.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            ensure_java()
            with tempfile.TemporaryDirectory() as aside:
                try:
                    found = resolve(coordinates, Path(aside), repository, transitive=True)
                except InputError as wrong:
                    raise InputError(f"{name} is not on this machine: {wrong}") from None
                part = _PLACE / f"{name}.part"
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir()
                for file in found:
                    shutil.copy(file, part)
                os.replace(part, place)
    return place
