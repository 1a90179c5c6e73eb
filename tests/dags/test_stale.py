"""A report that stands still is said to a web hook by a real triggerer; the test beats in place of a driver."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

import pytest

from airflow_nrt.demo.airflow_client import wait_until
from airflow_nrt.demo.airflow_processes import TRIGGERER
from airflow_nrt.home.heartbeat import RUNNING, STOPPED
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import load_report
from tests.dags.lab import Lab
from tests.launch.homes import REPORT, beat
from tests.triggers.test_alarm import reach

pytestmark = pytest.mark.slow


@contextlib.contextmanager
def beating(home: Home) -> Iterator[None]:
    """A driver that lives, and at last stops as it was asked to."""
    over = threading.Event()

    def live() -> None:
        while not over.wait(1):
            log = home.log()
            beat(home, log.epoch(), RUNNING, entry=log.last)

    living = threading.Thread(target=live)
    living.start()
    yield
    over.set()
    living.join()
    home.ask_to_stop()
    beat(home, home.log().epoch(), STOPPED)


def test_a_stale_report_is_said_once_a_window_and_when_it_is_fresh_again(lab: Lab) -> None:
    client, hook = lab.client, lab.hook
    data = lab.root / "data-stale"
    home = Home.create(lab.home("stale").path, load_report(REPORT, {"DATA": str(data)}))
    reach(home, minutes_ago=60)
    with beating(home):
        run = lab.run("watched", home, data=str(data))
        wait_until(lambda: any("orders_curve is stale" in text for text in hook.texts), 120, "a word about it")
        assert client.wait_for_xcom("watched", run, "stream", "missed_windows")

        lab.processes.end(TRIGGERER, signal.SIGKILL)
        lab.processes.launch(TRIGGERER)
        lab.processes.wait_until_healthy()
        reach(home, minutes_ago=0)
        wait_until(lambda: any("is fresh again" in text for text in hook.texts), 120, "the all-clear")
    assert client.wait_for_run("watched", run) == "success"
    about = [text for text in hook.texts if "orders_curve" in text]
    assert len(about) == len(set(about))


def test_a_run_that_misses_its_deadline_is_said(lab: Lab) -> None:
    run = lab.run("awaited", lab.home("nowhere"))
    wait_until(lambda: f"{run} is late" in lab.hook.texts, 90, "a word about it", lambda: str(lab.hook.texts))
    lab.client.request("PATCH", f"/dags/awaited/dagRuns/{run}", {"state": "failed"})
