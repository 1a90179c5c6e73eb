"""The homes below a directory, each with its driver, its windows and what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.main import main
from airflow_nrt.cli.of_homes.exposition import METRICS
from airflow_nrt.home.heartbeat import STOPPED
from airflow_nrt.home.launch_failure import note_launch_failure
from tests.launch.homes import beat, fire, launch, lease, new_home

END = 1_718_704_800_000
"""2024-06-18 10:00:00."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Three homes: one that runs, one that could not begin, and one whose log can't be read."""
    running = new_home(tmp_path / "shops")
    writer = lease(running)
    fire(running, writer, END)
    beat(running, 1)
    failed = new_home(tmp_path / "deep" / "er")
    lease(failed)
    beat(failed, 1, STOPPED, started=0)
    launch(failed, 1)
    note_launch_failure(str(failed.path), "1", InputError("the database refuses\nthe login"))
    broken = new_home(tmp_path / "torn")
    broken.report_file.local.write_text("{")
    return tmp_path


def test_a_line_for_each_home(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["homes", str(root)]) == 0
    head, first, second, third = capsys.readouterr().out.splitlines()
    assert head.split("  ")[0] == "home" and head.endswith("what is wrong")
    assert first.startswith("deep/er/home  orders_curve  stopped")
    assert first.endswith("the last start failed: the database refuses the login")
    assert second.split()[:3] == ["shops/home", "orders_curve", "running"]
    assert third.split()[:2] == ["torn/home", "unreadable"] and str(root / "torn") in third
    assert {line.index("orders_curve") for line in (first, second)} == {head.index("report")}


def test_json(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["homes", str(root), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["driver"] for one in told] == ["stopped", "running", "unreadable"]
    assert told[1]["error"] is None and told[1]["lag_seconds"] > 0


def test_no_home_and_no_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["homes", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"there is no home in {tmp_path}, nor up to 4 directories below it\n"
    assert main(["homes", str(tmp_path / "nowhere")]) == 2
    assert "can't be read: No such file or directory" in capsys.readouterr().err


def test_metrics(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = root / "metrics.prom"
    assert main(["homes", str(root), "--prometheus", str(file)]) == 0
    assert capsys.readouterr().out == ""
    told = file.read_text().splitlines()
    shops = f'{{home="{root}/shops/home",report="orders_curve"}}'
    assert f"airflow_nrt_running{shops} 1" in told and f"airflow_nrt_last_window_seconds{shops} {END // 1000}" in told
    assert f'airflow_nrt_failing{{home="{root}/deep/er/home",report="orders_curve"}} 1' in told
    assert f'airflow_nrt_readable{{home="{root}/torn/home"}} 0' in told
    described = [line.split()[2] for line in told if line.startswith("# TYPE ")]
    assert len(set(described)) == len(described) == len(METRICS) + 1
    values = [line for line in told if not line.startswith("#")]
    assert all(re.fullmatch(r'[a-z_]+\{home="[^"]+"(,report="[^"]+")?\} -?[0-9.e+]+', line) for line in values)
    assert main(["homes", str(root), "--prometheus", str(root / "nowhere" / "file")]) == 2
    assert "nowhere/file can't be written: No such file" in capsys.readouterr().err


def test_a_home_in_its_first_minute_is_starting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From its launch to its first heartbeat."""
    home = new_home(tmp_path)

    def shown() -> tuple[str, str, str]:
        assert main(["homes", str(tmp_path), "--prometheus", str(tmp_path / "metrics.prom")]) == 0
        assert main(["homes", str(tmp_path), "--json"]) == 0
        (one,) = json.loads(capsys.readouterr().out)
        assert main(["status", "--home", str(home.path)]) == 0
        lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
        metric = next(line for line in (tmp_path / "metrics.prom").read_text().splitlines() if "starting{" in line)
        return one["driver"], lines["driver"], metric[-1]

    assert shown() == ("none", "none", "0")
    launch(home, 1)
    assert shown() == ("starting", "starting", "1")
    assert main(["status", "--home", str(home.path)]) == 0
    assert {"log         no entry yet", "watermark   none yet", "windows     0 published"} <= set(
        capsys.readouterr().out.splitlines()
    )
    lease(home)
    assert shown() == ("starting", "starting", "1")
    beat(home, 1, launch="1")
    assert shown()[0] == "running"
