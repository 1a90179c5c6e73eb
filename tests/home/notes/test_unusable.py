"""A home says which classes in Java its driver can't use, and so does the status."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.cli.main import main
from airflow_nrt.home.heartbeat import RUNNING, Heartbeat, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.unusable import UnusableClasses, note_unusable, unusable_classes
from airflow_nrt.home.status import read_status
from tests.launch.homes import new_home

NOTE = UnusableClasses(2, "5.0.0", {"PlainTexts": "CompileException: no such class"})


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return new_home(tmp_path)


def beat(home: Home, epoch: int) -> None:
    write_heartbeat(home.heartbeats, Heartbeat(RUNNING, epoch, "host", 42, 0, "application"))


def shown(home: Home, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What `airflow-nrt status` prints."""
    assert main(["status", "--home", str(home.path)]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_status_names_them_for_the_driver_that_goes_without(home: Home, capsys) -> None:
    assert read_status(home).unusable == {}
    note_unusable(home, NOTE)
    beat(home, 1)
    assert read_status(home).unusable == {}
    beat(home, 2)
    status = read_status(home)
    assert status.unusable == status.to_json()["unusable"] == {"PlainTexts": "CompileException: no such class"}
    assert (
        "unusable    PlainTexts.java does not fit the driver's Spark: batches take longer than they need "
        "(CompileException: no such class)"
    ) in shown(home, capsys)
    beat(home, 3)
    assert read_status(home).unusable == {}


def test_a_driver_that_is_fenced_does_not_write_over_the_note_of_the_next(home: Home) -> None:
    note_unusable(home, NOTE)
    note_unusable(home, replace(NOTE, epoch=1, reasons={}))
    assert unusable_classes(home, 2) == NOTE
    note_unusable(home, replace(NOTE, reasons={}))
    assert unusable_classes(home, 2) == replace(NOTE, reasons={})


@pytest.mark.parametrize("content", ["{", "[]", '{"epoch": 2}', '{"epoch": 2, "spark": "5", "reasons": {"a": 1}}'])
def test_a_note_that_can_t_be_read_is_none(home: Home, content: str) -> None:
    home.notes.local.mkdir(exist_ok=True)
    home.unusable.local.write_text(content)
    beat(home, 2)
    assert read_status(home).unusable == {}
    note_unusable(home, NOTE)
    assert unusable_classes(home, 2) == NOTE


def test_a_name_that_the_product_does_not_know_is_shown_as_it_is(home: Home, capsys) -> None:
    note_unusable(home, replace(NOTE, reasons={"Future": "a reason"}))
    beat(home, 2)
    assert "unusable    Future.java does not fit the driver's Spark (a reason)" in shown(home, capsys)
