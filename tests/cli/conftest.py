"""A tiny report that was really streamed, and a process that runs the commands which need Spark."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.usecases.requests.processes import Question
from tests.cli.place import furnish

SAID = "said.txt"
"""In the place of `streamed`: what the command wrote to standard error."""
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Answer:
    """How a command line ended, and what it printed."""

    status: int
    out: str
    err: str


Command = Callable[..., Answer]


@pytest.fixture(scope="session")
def spark_command(process: None) -> Iterator[Command]:
    """Runs `airflow-nrt` with these arguments; Java is started once, sessions begin and end with each command."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.cli.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
    )

    def run(*arguments: object) -> Answer:
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(json.dumps([str(argument) for argument in arguments]) + "\n")
        child.stdin.flush()
        return Answer(**json.loads(child.stdout.readline()))

    yield run
    assert child.stdin is not None
    child.stdin.close()
    child.wait(timeout=60)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs a command that needs no Spark in this process, with what it asks another one: a hundred would take long."""
    monkeypatch.setattr("airflow_nrt.usecases.asking.ask", _answered_here)
    return command_line(capsys)


def _answered_here(request: Question, *_: object) -> dict[str, Any]:
    from airflow_nrt.usecases.answering import ANSWERS

    content = json.loads(json.dumps(request.to_json()))
    answer: dict[str, Any] = json.loads(json.dumps(ANSWERS[request.question](content)))
    return answer


def command_line(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process; what it asks is answered by another one."""
    from airflow_nrt.cli.main import main

    def run(*arguments: object) -> Answer:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            assert isinstance(ended.code, int)
            status = ended.code
        printed = capsys.readouterr()
        return Answer(status, printed.out, printed.err)

    return run


@pytest.fixture(scope="session")
def streamed(spark_command: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The place of a report whose stream ran once over all its files; the last windows are still open."""
    place = tmp_path_factory.mktemp("streamed")
    answer = spark_command("run", furnish(place), "--home", place / "home", "--available-now", "--master", "local[2]")
    assert answer.status == 0, answer.err
    assert answer.out == "curve: finished\n"
    (place / SAID).write_text(answer.err)
    return place
