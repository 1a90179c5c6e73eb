"""What servers are made of, fetched once into the environment."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.java.fetch_jars import resolve
from airflow_nrt.engine.java.finding import ensure_java

PLACE = Path(sys.prefix) / "share" / "airflow-nrt" / "servers"


def jars_of(server: str, coordinates: Sequence[str]) -> Path:
    """The directory with the jars of a server. Skips the test where they can't be had; on CI it fails."""
    place = PLACE / server
    PLACE.mkdir(parents=True, exist_ok=True)
    with open(PLACE / f"{server}.lock", "w") as lock:
        # One test process fetches, the others wait for it.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            ensure_java()
            with tempfile.TemporaryDirectory() as aside:
                try:
                    found = resolve(coordinates, Path(aside), None, transitive=True)
                except InputError as wrong:
                    missing(f"no {server} here: {wrong}")
                part = PLACE / f"{server}.part"
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir()
                for file in found:
                    shutil.copy(file, part)
                os.replace(part, place)
    return place


def missing(reason: str) -> None:
    """Skips a test whose server can't be had here; on CI it fails."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
