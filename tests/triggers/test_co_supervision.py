"""Two tasks supervise one driver: both logs say so, and it stops with the last of them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from airflow_nrt.home.heartbeat import FINISHED, RUNNING
from airflow_nrt.home.home import Home
from airflow_nrt.triggers import driver
from airflow_nrt.triggers.co_supervision import CoSupervision
from airflow_nrt.triggers.driver import NrtDriverTrigger
from tests.launch.homes import beat, lease, new_home
from tests.task_log import said


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    async def is_given_up(task: Any) -> bool:
        return task is not None

    monkeypatch.setattr(driver, "is_given_up", is_given_up)
    home = new_home(tmp_path)
    lease(home)
    beat(home, 1, RUNNING)
    return home


def task(dag_id: str) -> Any:
    return SimpleNamespace(dag_id=dag_id, task_id="stream", run_id="run", map_index=-1)


def watching(home: Home, dag_id: str) -> NrtDriverTrigger:
    one = NrtDriverTrigger(str(home.path), epoch=1, poll_interval=0.02, earliest=0.0)
    one.task_instance = task(dag_id)
    return one


def of_worker(home: Home, one: NrtDriverTrigger) -> CoSupervision:
    return CoSupervision(str(home.path), None, one.task_instance, one.log)


def test_a_driver_stops_with_the_last_of_its_tasks(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = watching(home, "a"), watching(home, "b")
    for one in (first, second):
        of_worker(home, one).begin()
    asyncio.run(first.on_kill())
    assert not home.stop_file.exists()
    asyncio.run(second.on_kill())
    assert home.is_stop_asked(1)
    lines = said(capsys)
    assert sum("task stream of a, run run supervises the driver of" in line for line in lines) == 1
    assert any("goes on, because task stream of b, run run supervises it" in line for line in lines)


def test_a_trigger_hears_of_one_that_came_later(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    one = watching(home, "a")

    async def both() -> None:
        waiting = one.run()
        ended = asyncio.ensure_future(anext(waiting))
        while not list(home.supervisors.local.glob("*.json")):
            await asyncio.sleep(0.02)
        of_worker(home, watching(home, "b")).begin()
        beat(home, 1, FINISHED)
        await asyncio.wait_for(ended, 20)

    asyncio.run(both())
    assert any("task stream of a, run run supervises the driver" in line for line in said(capsys))


def test_the_same_task_again_is_no_other_one(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        of_worker(home, watching(home, "a")).begin()
    assert not any("supervises" in line for line in said(capsys))
    assert of_worker(home, watching(home, "a")).end() == []
