"""`airflow-nrt versions` and `airflow-nrt undo`: what a window has been, and back to it.

Covers airflow_nrt/usecases/versions.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.cli.main import main
from airflow_nrt.home.home import Home
from tests.homes.archives import unpack

SET = "2024-06-18 10:20"
"""The end of the window of the kept home that somebody has set."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return unpack("undone", tmp_path) / "home"


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_the_versions_of_a_window(home: Path, capsys) -> None:
    text = answer(capsys, "versions", "--home", str(home), "--window", SET)
    lines = text.splitlines()
    assert lines[0] == "curve, window [2024-06-18 10:10:00, 2024-06-18 10:20:00)"
    assert "first result, driver of epoch 1" in lines[1]
    assert "repair, task day.repair, run manual__1 (airflow-nrt backfill): the verification as of" in lines[3]
    assert "total 5 → 2 (-3)" in lines[4] and "kept until" in lines[4]
    assert "undo, anna (airflow-nrt undo): to version" in lines[5] and "total 2 → 5 (+3)" in lines[6]
    assert lines[7].strip().startswith("set by anna (airflow-nrt undo) on ") and lines[7].endswith(": it was right")


def test_all_that_have_had_several(home: Path, capsys) -> None:
    text = answer(capsys, "versions", "--home", str(home))
    assert text.count("curve, window [") == 2 and text.splitlines()[-1] == "1 window with one version"
    found = json.loads(answer(capsys, "versions", "--home", str(home), "--json"))
    first, second = found["windows"]
    assert [one["why"] for one in first["versions"]] == ["first result", "repair", "undo", "backfill"]
    assert [one["pin"] is not None for one in second["versions"]] == [False, False, True]
    assert found["others"] == 1 and second["versions"][0]["sums"] == {"n": "1", "total": "5"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["versions", "--window", "2024-06-18 11:00"], "no window that ends there was ever published"),
        (["versions", "--window", "noon"], "--window: "),
        (["versions", "--insert", "curves"], "no window of an insert 'curves' is published: there are curve"),
        (["undo", "--window", SET, "--to", "4711"], "has no version 4711"),
        (["undo", "--window", "2024-06-18 10:30"], "has no older version"),
        (["undo", "--window", SET, "--insert", "other"], "no window of other that ends there was ever published"),
        (["undo", "--window", SET, "--reason", "a\nb"], "--reason is one line of at most 500 characters"),
    ],
)
def test_what_is_wrong_is_said(home: Path, capsys, arguments: list[str], words: str) -> None:
    last = Home.open(home).log().last
    assert main([*arguments, "--home", str(home)]) == 2
    assert words in capsys.readouterr().err and Home.open(home).log().last == last
