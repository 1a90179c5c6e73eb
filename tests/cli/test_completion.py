"""Completion as a shell asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.mark.process
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("airflow-nrt ver", {"verify", "versions"}),
        ("airflow-nrt run --ava", {"--available-now"}),
        ("airflow-nrt query --mode ", {"stream", "batch"}),
        ("airflow-nrt query -e 'SELECT ", set()),
    ],
)
def test_what_may_follow(tmp_path: Path, line: str, words: set[str]) -> None:
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "IFS": "\n"}
    asked["_ARGCOMPLETE_STDOUT_FILENAME"] = str(tmp_path / "words")
    command = [sys.executable, "-m", "airflow_nrt.cli.main"]
    subprocess.run(command, env={**os.environ, **asked}, check=True, capture_output=True)
    told = {word.strip() for word in (tmp_path / "words").read_text().replace("\013", "\n").split("\n")}
    assert told - {""} == words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_runs(command: Command, shell: str) -> None:
    answer = command("completion", shell)
    assert answer.status == 0 and "airflow-nrt" in answer.out
