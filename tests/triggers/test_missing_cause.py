"""What is said to be looked at first, where windows are missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.home.heartbeat import FAILED, RUNNING, STOPPED, now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import Pulse, read_pulse
from airflow_nrt.home.table_progress import TableProgress
from airflow_nrt.triggers.missing_cause import missing_cause
from tests.launch.homes import beat, lease, new_home

WAITS = TableProgress("curve", 600_000, 0, 7, 3, 600_000)
IS_LEVEL = TableProgress("curve", 0, 0, 3, 3, 600_000)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return new_home(tmp_path)


def pulse(home: Home, state: str = RUNNING, **fields: Any) -> Pulse:
    beat(home, lease(home).epoch, state, **fields)
    return read_pulse(home)


def test_a_report_that_never_ran(home: Home) -> None:
    assert missing_cause(read_pulse(home), IS_LEVEL) == "no driver has begun"


@pytest.mark.parametrize(
    ("fields", "table", "cause"),
    [
        ({"state": STOPPED}, IS_LEVEL, "its driver has ended, stopped"),
        ({"state": FAILED, "error": "overflow in gmv"}, WAITS, "its driver has ended, failed: overflow in gmv"),
        ({"error": "the broker does not answer"}, WAITS, "the broker does not answer"),
        ({}, WAITS, "its sink lacks what is decided up to 1970-01-01 00:10:00"),
        ({"pending_files": 1}, IS_LEVEL, "its driver is late, 1 file waits to be read"),
        ({"pending_files": 4}, IS_LEVEL, "its driver is late, 4 files wait to be read"),
        ({}, IS_LEVEL, "no newer rows have come, the watermark is -"),
    ],
)
def test_what_is_to_be_looked_at_first(home: Home, fields: dict[str, Any], table: TableProgress, cause: str) -> None:
    assert missing_cause(pulse(home, **fields), table) == cause


def test_a_driver_that_does_not_beat_any_more(home: Home) -> None:
    pulse(home)
    later = now_ms() + 120_000
    assert missing_cause(read_pulse(home, later), IS_LEVEL, later).startswith(
        "its driver has been silent for 2 minutes"
    )
