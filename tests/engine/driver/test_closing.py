"""A directory closes, what comes later is told by everything that reads the home, and a command has it read."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from airflow_nrt.cli.main import main
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.fold.looks import looks_of
from airflow_nrt.home.status import read_status
from tests.engine.oracle import Windowing
from tests.engine.reports import (
    FEW,
    HOUR,
    MINUTE,
    curve_insert,
    events_table,
    plan_of,
    random_events,
    write_events,
)

TUMBLE = Windowing("TUMBLE", 30 * MINUTE, 30 * MINUTE)
EVENTS = random_events(4, 40, 4 * HOUR)


def settle(directory: Path) -> None:
    """Lets it look as if nothing had changed in it for a minute."""
    os.utime(directory, (time.time() - 60, time.time() - 60))


@pytest.mark.timeout(400)
def test_a_directory_closes_and_opens_again(spark, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    day = tmp_path / "events" / "ds=1"
    day.mkdir(parents=True)
    table = events_table(source__monitor_interval="50 ms", source__close_directories_after="1 ms")
    plan = plan_of(tmp_path, table, curve_insert(TUMBLE.sql, FEW))
    home = Home.create(tmp_path / "home", plan)

    def run() -> None:
        assert Runner(spark, plan, home, available_now=True).run() == "finished"

    def command(*arguments: str) -> str:
        assert main([*arguments, "--home", str(home.path)]) == 0
        return capsys.readouterr().out

    write_events(day / "0.csv", EVENTS[:30])
    settle(day)
    run()
    assert looks_of(home.log())["events"][str(day)].directories == ()
    run()
    assert command("reopen") == "events: 1 directory closed\n"
    write_events(day / "late.csv", EVENTS[30:])
    settle(day)
    run()
    status = read_status(home)
    assert (status.files, status.closed_files) == (1, {"events": 1})
    assert "closed      events: 1 file came after their directories were closed" in command("status")
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and verdict.unread_files == 0
    assert any("`airflow-nrt reopen` has them read" in note for note in verdict.notes)
    assert main(["reopen", str(tmp_path), "--home", str(home.path)]) == 2
    assert "is no closed directory of events" in capsys.readouterr().err
    assert f"{day}: the next driver opens it" in command("reopen", str(day))
    run()
    status = read_status(home)
    assert (status.files, status.closed_files) == (2, {})
    assert json.loads(command("reopen", "--json")) == {"closed": {"events": 1}, "unread": {}, "opening": {}}, "again"
    assert verify(spark, plan, home).is_proven
