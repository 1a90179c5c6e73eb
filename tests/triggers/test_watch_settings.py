"""The settings with which a report is watched: checked when a DAG file is parsed, and kept beyond an upgrade."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.triggers.watch_settings import Alarm, WatchSettings


@pytest.mark.parametrize(
    "wrong",
    [
        {"stall_timeout": 0.0},
        {"silence": -1.0},
        {"poll_interval": 0},
        {"poll_interval": math.nan},
        {"earliest": -0.1},
        {"status_interval": -1},
    ],
)
def test_a_time_that_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(wrong))} must be"):
        WatchSettings(**wrong)


@pytest.mark.parametrize("settings", [WatchSettings(), WatchSettings(60, 1.5, 0.1, 0, 0, Alarm(1, "a.b", {"c": 1}))])
def test_what_is_written_is_read(settings: WatchSettings) -> None:
    assert WatchSettings.from_json(json.loads(json.dumps(settings.to_json()))) == settings


def test_a_stream_watches_as_it_was_given() -> None:
    times = {
        "stall_timeout": 600,
        "silence_timeout": 20,
        "poll_interval": 1,
        "earliest_event": 12,
        "status_interval": 30,
    }
    task = NrtStreamOperator(task_id="s", report="r.sql", home="h", freshness="15 min", **times)
    assert task.watch == WatchSettings(600, 20, 1, 12, 30, Alarm(900_000))
    with pytest.raises(InputError, match="poll_interval must be more than 0 seconds, not 0"):
        NrtStreamOperator(task_id="s", report="r.sql", home="h", poll_interval=0)
