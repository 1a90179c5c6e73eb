"""Logs with short chapters, volumes and distances of checkpoints."""

from __future__ import annotations

import os

import pytest

from airflow_nrt.home.log import chapters, fenced_writer, volumes
from airflow_nrt.home.log.fold import checkpoints
from airflow_nrt.home.log.past import past
from airflow_nrt.home.retention import removal

CHAPTER, VOLUME = 4, 16


@pytest.fixture(autouse=True)
def short_volumes(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch)
    # No power fails here, and thousands of entries are written.
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def shorten(patched: pytest.MonkeyPatch, chapter: int = CHAPTER, volume: int = VOLUME) -> None:
    for module in (chapters, fenced_writer, volumes):
        patched.setattr(module, "CHAPTER", chapter)
    patched.setattr(chapters, "KEPT", chapter)
    for module in (volumes, removal):
        patched.setattr(module, "VOLUME", volume)
    for module in (checkpoints, past):
        patched.setattr(module, "DISTANCE", volume)
