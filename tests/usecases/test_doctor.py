"""What a machine lacks is found, each with a way out; nothing is left behind."""

from __future__ import annotations

import json
from collections import namedtuple
from pathlib import Path

import pytest

from airflow_nrt.basics import jars
from airflow_nrt.home.heartbeat import FAILED
from airflow_nrt.home.log.fold import checkpoints
from airflow_nrt.home.log.fold.checkpoints import write_checkpoints
from airflow_nrt.usecases import doctor as looking
from airflow_nrt.usecases.doctor import doctor
from airflow_nrt.usecases.requests.doctor import DoctorRequest, Finding, Judgement
from tests.cli.conftest import Command, command_line
from tests.cli.place import REPORT, furnish
from tests.launch.homes import beat, lease, new_home

pytestmark = pytest.mark.process
Usage = namedtuple("Usage", "total used free")


def found(**asked: str) -> dict[str, Finding]:
    return {one.what: one for one in doctor(DoctorRequest(**asked))}


def judged(**asked: str) -> dict[str, Judgement]:
    return {what: one.judgement for what, one in found(**asked).items() if one.judgement is not Judgement.FINE}


def test_a_machine_that_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking.shutil, "disk_usage", lambda _: Usage(0, 0, 10**12))
    findings = found(home=str(tmp_path / "later" / "home"))
    assert [*findings] == [
        "versions",
        "Java",
        "Spark",
        "class archive",
        "jars",
        "scratch",
        "home",
        "driver",
        "checkpoint",
    ]
    assert "Java" in findings["Java"].said and "there is no home yet" in findings["driver"].said
    assert Judgement.WRONG not in judged(home=str(tmp_path / "later" / "home")).values()
    assert not [*tmp_path.iterdir()]


def test_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking.shutil, "disk_usage", lambda _: Usage(0, 0, 10**8))
    monkeypatch.setattr(jars, "directory", lambda: tmp_path)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("airflow_nrt.engine.java.finding._bundled", lambda: None)
    findings = found()
    assert findings["Java"].judgement is Judgement.WRONG and "Install a JRE" in findings["Java"].said
    assert findings["scratch"] == Finding(
        "scratch", Judgement.WRONG, findings["scratch"].said, "set SPARK_LOCAL_DIRS to a directory with room"
    )
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path}/gone")
    gone = found()["scratch"]
    assert gone.judgement is Judgement.WRONG and gone.said == f"there is no directory {tmp_path}/gone" and gone.way_out
    assert findings["jars"].way_out == f"airflow-nrt prepare {' '.join(jars.JARS)}"


def test_the_driver_of_a_home(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    beat(home, 1, FAILED, error="the database refuses the login", final=True)
    finding = found(home=str(home.path))["driver"]
    assert finding.judgement is Judgement.WRONG and "the database refuses the login" in finding.said
    assert finding.way_out == f"airflow-nrt status --home {home.path}"


def test_the_checkpoint_of_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = new_home(tmp_path)
    assert found(home=str(home.path))["checkpoint"].said == "there is none yet"
    monkeypatch.setattr(checkpoints, "DISTANCE", 2)
    lease(home)
    lease(home)
    write_checkpoints(home.log())
    assert found(home=str(home.path))["checkpoint"].said == "after entry 1, as the log has it"
    inputs = home.path / "checkpoints" / "0-1.json.gz"
    inputs.write_bytes(bytes(inputs.stat().st_size))
    assert found(home=str(home.path))["checkpoint"].judgement is Judgement.WRONG


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    return command_line(capsys)


def test_a_report(command: Command, tmp_path: Path) -> None:
    report = furnish(tmp_path, REPORT.replace("SUM(price)", "SUM(prize)"))
    answer = command("doctor", report, "--json")
    last = json.loads(answer.out)[-1]
    assert answer.status == 1 and (last["what"], last["judgement"]) == ("report", "wrong")
    assert "there is no column 'prize'" in last["said"]
