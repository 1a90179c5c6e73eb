"""What tests need in which root plays Airflow's user, and `nobody` another user of the machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can play Airflow's user and another one")


def tree(place: Path) -> Iterator[Path]:
    """A directory and all that is in it."""
    yield place
    yield from place.rglob("*")


def give_to_nobody(place: Path) -> None:
    """As if `nobody` had made it."""
    for path in tree(place):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
