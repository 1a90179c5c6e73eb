"""`check DIR`: which files it looks at, what it prints, and programs that end in no good way."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from airflow_nrt.usecases.survey.files import files_below
from tests.cli.conftest import Command, command_line
from tests.cli.place import REPORT
from tests.docs.pages import DOCS, examples_of

TABLE_API = "from pyflink.table import TableEnvironment\n"


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Each file is answered for by a process of its own."""
    return command_line(capsys)


@pytest.mark.process
def test_a_directory(command: Command, tmp_path: Path) -> None:
    (tmp_path / "curve.sql").write_text(REPORT)
    (tmp_path / "ends.py").write_text(f"{TABLE_API}import sys\nprint('hello')\nsys.exit(3)\n")
    (tmp_path / "killed.py").write_text(f"{TABLE_API}import os\nos.kill(os.getpid(), 9)\n")
    (tmp_path / "raises.py").write_text(f"{TABLE_API}\ntables = {{}}\ntables['orders']\n")
    answer = command("check", tmp_path)
    assert (answer.status, answer.err) == (2, "")
    lines = answer.out.replace(f"{tmp_path}/", "").splitlines()
    assert lines[:3] == ["curve.sql: runs", "ends.py: does not run", "    ends.py:4:1: SystemExit: 3"]
    assert lines[3] == "killed.py: does not run" and "its process was ended by signal 9" in lines[4]
    assert lines[5:] == [
        "raises.py: does not run",
        "    raises.py:4:1: KeyError: 'orders'",
        "what keeps files from running, by the number of files:",
        "     1  KeyError",
        "     1  SystemExit",
        "     1  its process was ended by signal 9 and gave no answer",
        "4 files: 1 runs, 3 do not run",
    ]


@pytest.mark.process
def test_what_keeps_several_from_running_is_counted_by_kind(command: Command, tmp_path: Path) -> None:
    pulsar = "CREATE TABLE {0} (a INT) WITH ('connector' = 'pulsar');"
    (tmp_path / "a.sql").write_text(pulsar.format("clicks") + REPORT.replace("SUM(price)", "SUM(prize)"))
    (tmp_path / "b.sql").write_text(pulsar.format("views") + pulsar.format("orders_of_today") + REPORT)
    (tmp_path / "c.sql").write_text(REPORT.replace("FROM orders", "FROM orders, ordes"))
    answer = command("check", tmp_path)
    assert answer.out.splitlines()[-4:-1] == [
        "what keeps files from running, by the number of files:",
        "     2  there is no connector 'pulsar' (3 times)",
        "     1  there is no column '…'",
    ]
    said = json.loads(command("check", tmp_path, "--json").out)
    assert said["refused"][0] == {"what": "there is no connector 'pulsar'", "files": 2, "times": 3}


@pytest.mark.process
def test_a_program_that_does_not_end(command: Command, tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(f"{TABLE_API}import time\ntime.sleep(600)\n")
    answer = command("check", tmp_path, "--time-limit", 2)
    assert answer.status == 2 and "was not planned within 2 seconds" in answer.out
    assert answer.out.endswith("1 file: 1 does not run\n")


@pytest.mark.process
def test_all_is_well(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(REPORT)
    (tmp_path / "b.sql").write_text("SET 'execution.checkpointing.interval' = '1 min';\n" + REPORT)
    answer = command("check", tmp_path)
    assert answer.status == 0 and answer.out.endswith("2 files: 1 runs, 1 runs with a difference\n")
    (tmp_path / "c.sql").write_text("SELEC 1")
    answer = command("check", tmp_path, "--json")
    said = json.loads(answer.out)
    assert answer.status == 2 and [one["outcome"] for one in said["files"]] == [
        "runs", "runs with a difference", "does not run",
    ]  # fmt: skip
    assert said["counts"] == {"runs": 1, "runs with a difference": 1, "does not run": 1, "is no report": 0}
    assert said["files"][2]["file"] == f"{tmp_path}/c.sql" and "SELEC" in said["files"][2]["reasons"][0]


@pytest.mark.parametrize("option", ["--deep", "--home=h", "--base=b"])
def test_what_is_for_one_report(command: Command, tmp_path: Path, option: str) -> None:
    (tmp_path / "a.sql").write_text(REPORT)
    answer = command("check", tmp_path, option)
    assert (answer.status, answer.out) == (2, "") and f"{option[:6]}" in answer.err


def test_nothing_to_look_at(command: Command, tmp_path: Path) -> None:
    answer = command("check", tmp_path)
    assert answer.status == 2 and f"there are no scripts (.sql) and no programs of PyFlink in {tmp_path}" in answer.err


def test_which_files(tmp_path: Path) -> None:
    kept = {
        "a.sql": "",
        "deep/er/b.sql": "",
        "c.py": TABLE_API,
        "d.py": "try:\n    import pyflink.table as t\nexcept ImportError:\n    raise\n",
        "e.py": "from airflow_nrt import table\n",
    }
    others = {
        ".git/f.sql": "",
        "__pycache__/g.sql": "",
        "venv/pyvenv.cfg": "",
        "venv/h.sql": "",
        "lib/site-packages/i.sql": "",
        "j.py": "import os, pyflinks\n",
        "k.py": f"def later():\n    {TABLE_API}",
        "l.py": f"{TABLE_API}print 'Python 2'\n",
        "m.txt": "",
    }
    for name, text in {**kept, **others}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert {str(file.relative_to(tmp_path)) for file in files_below(tmp_path)} == {*kept}


@pytest.mark.process
def test_the_documented_directory(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = next(one for one in examples_of(DOCS / "how-to" / "check-flink-scripts.md") if one.language == "text")
    jobs = tmp_path / "jobs"
    jobs.mkdir()
    (jobs / "totals.sql").write_text(REPORT)
    (jobs / "checkpoints.sql").write_text("SET 'execution.checkpointing.interval' = '1 min';\n" + REPORT)
    clicks = "CREATE TABLE clicks (page STRING) WITH ('connector' = 'pulsar', 'topics' = 'clicks');\n"
    (jobs / "pulsar.sql").write_text(clicks + REPORT)
    monkeypatch.chdir(tmp_path)
    assert command("check", "jobs").out == shown.text


def test_what_is_no_program_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("")
    (tmp_path / "deep.py").write_text("-" * 200_000)
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "endless.py").symlink_to("/dev/zero")
    assert [file.name for file in files_below(tmp_path)] == ["a.sql"]
