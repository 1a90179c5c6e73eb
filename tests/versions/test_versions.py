"""The wheel under each minor version of Airflow from 3.1 on: all of it is imported, and a report runs there."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.packages import ROOT, Tools, without_tests_own

pytestmark = [pytest.mark.thorough, pytest.mark.process, pytest.mark.timeout(2400)]

LONGEST_SECONDS = 1500
WHOLE = Path(__file__).parent / "whole.py"
VERSIONS = {
    "3.1": ("apache-airflow==3.1.*",),
    # 3.2 takes any FastAPI, and fails with newer ones; its constraints have older ones.
    "3.2": ("apache-airflow==3.2.*", "fastapi<0.137", "cadwyn<8"),
    "3.3": ("apache-airflow==3.3.*",),
}
OPTIONAL = ("airflow_nrt.operators.lineage", "airflow_nrt.testing.fixture")
"""What needs OpenLineage's provider, or pytest."""


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def python(version: str, wheel: Path, tools: Tools, tmp_path: Path) -> Iterator[Path]:
    """A new environment with the wheel and an Airflow of this version: a gigabyte, which goes with the test."""
    environment = tmp_path / "env"
    yield tools.install(environment, wheel, *VERSIONS[version])
    shutil.rmtree(environment, ignore_errors=True)


def test_a_report_runs_in_each_version_of_airflow(version: str, python: Path, tmp_path: Path) -> None:
    found = found_by(python, tmp_path / "place")
    lacking = {} if version == "3.3" else {"airflow_nrt.assets": "windows as asset events need Airflow 3.3"}
    failed = {name: why for name, why in found["failed_imports"].items() if name not in OPTIONAL}
    assert failed.keys() == lacking.keys()
    assert all(why.startswith(lacking[name]) for name, why in failed.items()), failed
    errors = found["import_errors"]
    assert set(errors) == ({"order_facts_each_hour.py"} if lacking else set()), errors
    assert all("windows as asset events need Airflow 3.3, and this is 3." in error for error in errors.values())

    assert (found["bounded"], found["verdict"]) == ("success", True)
    assert set(found["missed"]) == {"seconds"}, "the trigger has written its XCom"
    assert (found["waiting"], found["live"], found["rows"]) == ("success", "success", 40)
    assert found["in_batch"] == "success"
    assert found["given_up"] == "stopped", "a task that is marked failed stops its driver"
    assert (found["page"], "nrt" in found["plugins"]) == ("seconds", True)
    assert found["button"].startswith("/dags/in_batch/runs/")


def found_by(python: Path, place: Path) -> dict[str, Any]:
    """What `whole.py` found. It ends all that it has started, also if this test ends before."""
    place.mkdir()
    told, log = place / "told", place / "log"
    words = [str(word) for word in (python, "-I", WHOLE, ROOT / "dags", place)]
    with open(told, "w") as out, open(log, "w") as err:
        # In a directory of its own, because Python looks for modules there first.
        streams = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
        running = subprocess.Popen(words, env=without_tests_own(), cwd=place, **streams)
    try:
        status = running.wait(LONGEST_SECONDS)
    finally:
        running.terminate()
        running.wait(120)
    assert status == 0, f"{told.read_text()[-2000:]}\n{log.read_text()[-6000:]}"
    return dict(json.loads(told.read_text().splitlines()[-1]))
