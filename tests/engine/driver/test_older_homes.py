"""A home that version 0.1.0 made before files had format numbers: it opens, goes on, and is verified.

It was made by `airflow-nrt run curve.sql --home home --available-now` over three files, with a launch record beside it:
windows, OVER and a table that changes, a late row, a rejected line. `/place` stands for where everything was.
"""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.heartbeat import FINISHED, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import read_status
from airflow_nrt.launch.launch_records import last_launch
from airflow_nrt.model.plan import Plan
from airflow_nrt.table.reports.load import load_report, plan_of_home

ARCHIVE = Path(__file__).parents[2] / "home" / "homes" / "format-1.tar.gz"
TEXTS = (".json", ".sql", ".txt", ".launch")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    for file in tmp_path.rglob("*"):
        if file.suffix in TEXTS:
            file.write_text(file.read_text().replace("/place/", f"{tmp_path}/").replace('"/place"', f'"{tmp_path}"'))
    for entry in (tmp_path / "home" / "log").iterdir():
        for read in json.loads(entry.read_text()).get("files", ()):
            os.utime(read["path"], ns=(read["modified"], read["modified"]))
    return tmp_path


def plan_at(place: Path, script: str | None = None) -> Plan:
    if script is not None:
        (place / "curve.sql").write_text(script)
    return load_report(place / "curve.sql")


def test_it_goes_on_and_is_verified(spark, place: Path) -> None:
    plan = plan_at(place)
    home = Home.create(place / "home", plan, plan_of_home)
    assert (place / "home" / "log" / "6.json").exists() and home.log().last == 6
    before = {file.name: file.read_text() for file in (place / "curve").glob("*.json")}
    (place / "events" / "4.csv").write_text(
        "a,1,1.00,2024-06-18 10:37:00\nb,7,2.00,2024-06-18 10:59:00\na,2,9.00,2024-06-18 10:11:00\n"
        "b,8,2.00,2024-06-18 11:30:00\n"
    )
    assert Runner(spark, plan, home, available_now=True).run() == FINISHED
    verdict = verify(spark, plan, home, Interval())
    assert verdict.is_proven, verdict
    after = {file.name: file.read_text() for file in (place / "curve").glob("*.json")}
    assert before.items() <= after.items() and len(after) == 6
    last = [json.loads(line) for line in after["curve-20240618T100000-20240618T110000.json"].splitlines()]
    assert sorted((row["shop"], row["users"], float(row["total"])) for row in last) == [("a", 4, 35.25), ("b", 5, 19.5)]
    totals = [json.loads(line) for line in (place / "totals" / "totals.json").read_text().splitlines()]
    assert sorted((row["shop"], row["cnt"]) for row in totals) == [("a", 7), ("b", 6)]


def test_what_it_says_of_itself(place: Path) -> None:
    home = Home.open(place / "home")
    status = read_status(home)
    assert (status.report, status.rows, status.rejected, status.late, home.zone) == ("curve", 10, 1, 2, "Asia/Shanghai")
    beat, launch = read_heartbeat(home.heartbeats), last_launch(home)
    assert beat is not None and (beat.state, beat.host) == (FINISHED, "worker-1")
    assert launch is not None and launch.launcher.pid == 4711


CHANGES = {
    "another step": (
        "'10' MINUTES, INTERVAL '1' HOUR",
        "'20' MINUTES, INTERVAL '1' HOUR",
        "  - curve: recomputed\n    FROM: CUMULATE(",
    ),
    "another frame": ("'15' MINUTES PRECEDING", "'16' MINUTES PRECEDING", "  - recent: recomputed\n    total: SUM("),
    "another zone": (
        "Asia/Shanghai",
        "Asia/Tokyo",
        "    setting table.local-time-zone: Asia/Shanghai -> Asia/Tokyo",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_another_report_is_refused(place: Path, change: str) -> None:
    old, new, expected = CHANGES[change]
    plan = plan_at(place, (place / "curve.sql").read_text().replace(old, new))
    with pytest.raises(InputError, match="computes something else than when its home") as refused:
        Home.create(place / "home", plan, plan_of_home)
    assert f"\n{expected}" in str(refused.value) and "_nrt_" not in str(refused.value)


def test_a_planner_that_names_operators_otherwise_is_refused(place: Path) -> None:
    """The state of HOP would be read as that of CUMULATE."""
    file = place / "home" / "report.json"
    file.write_text(file.read_text().replace('"CUMULATE 10 minutes / 1 hour"', '"HOP 10 minutes / 1 hour"'))
    with pytest.raises(InputError, match=r"can't go on with the home .*, which version 0\.1\.0 made") as refused:
        Home.create(place / "home", plan_at(place), plan_of_home)
    assert "the state of HOP 10 minutes / 1 hour would be taken for that of CUMULATE 10" in str(refused.value)
