"""The last words of a demonstration, and that nothing of it is left, however often one asks it to end."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from types import SimpleNamespace

import psutil
import pytest

from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.demo.endings import kill_all_with
from airflow_nrt.demo.scene import Scene
from airflow_nrt.demo.screen import Screen
from airflow_nrt.demo.tour import ENTER, LATER, Tour
from airflow_nrt.usecases import demo as demonstration
from airflow_nrt.usecases.requests.demo import DemoRequest
from tests.demo.test_story import SUMMARY

pytestmark = pytest.mark.process


def test_what_left_session_and_parent_is_killed(tmp_path) -> None:
    mark = {"ORDERS_HOME": str(tmp_path), "ORDERS_DATA": "x"}
    line = "setsid sleep 300 >/dev/null & echo $!"
    shell = subprocess.run(
        ["bash", "-c", line], env={**os.environ, **mark}, stdout=subprocess.PIPE, text=True, check=True
    )
    orphan = psutil.Process(int(shell.stdout))
    # While a process becomes another program it has no environment.
    while orphan.name() != "sleep":
        time.sleep(0.01)
    kill_all_with({**mark, "ORDERS_DATA": "another"})
    assert orphan.is_running() and orphan.status() != psutil.STATUS_ZOMBIE
    kill_all_with(mark)
    assert not orphan.is_running() or orphan.status() == psutil.STATUS_ZOMBIE


def test_a_second_ctrl_c_does_not_disturb() -> None:
    code = """
        import os, signal, time
        from airflow_nrt.demo.endings import SIGNALS, end_as_by_ctrl_c, undisturbed
        end_as_by_ctrl_c()
        try:
            os.kill(os.getpid(), signal.SIGHUP)
            time.sleep(10)
        except KeyboardInterrupt:
            with undisturbed():
                for number in SIGNALS:
                    os.kill(os.getpid(), number)
                time.sleep(0.1)
                print("tidy")
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "tidy\n", "")


class Terminal:
    """A person who reads everything before Enter is pressed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.read = ""
        self._capsys = capsys

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        self.read = self._capsys.readouterr().out
        return "\n"


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Demonstrations without Airflow and without a day of orders: what of them has ended."""
    ended: list[str] = []

    @contextlib.contextmanager
    def stage(scene: Scene) -> Iterator[object]:
        yield SimpleNamespace(url="http://127.0.0.1:8080", password="pass-word", release=lambda: [4, 5])
        ended.append("Airflow")

    monkeypatch.setattr(demonstration, "stage", stage)
    monkeypatch.setattr(demonstration, "play", lambda *scene: SUMMARY)
    return ended


def test_a_demonstration_ends_with_what_to_click(ends: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    done = demonstration.demo(DemoRequest(keep=True), Screen())
    assert done.still_up is not None
    said = capsys.readouterr().out
    page = "http://127.0.0.1:8080/nrt/#/report/"
    assert said.index("demo: 144 windows") < said.index("http://127.0.0.1:8080/plugin/nrt_reports")
    assert "sign in   admin, password pass-word" in said
    clicks = [line.strip() for line in said.partition("click 1")[2].splitlines() if "http" in line]
    assert [link.startswith(page) for link in clicks] == [True, True, False]
    assert said.splitlines()[-1] == f"  the end   kill 4 5; rm -r {done.still_up.place}"
    shutil.rmtree(done.still_up.place)


def test_somebody_at_a_terminal_may_look_around_until_enter(
    ends: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal(capsys)
    monkeypatch.setattr(sys, "stdin", terminal)
    screen = Screen()
    monkeypatch.setattr(screen, "_in_place", True)
    assert demonstration.demo(DemoRequest(), screen).still_up is None
    assert terminal.read.endswith(f"  {ENTER}\n") and "click 3" in terminal.read
    assert ends == ["Airflow"]


def test_without_a_terminal_it_ends_with_the_line_that_counts(
    ends: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    demonstration.demo(DemoRequest(), Screen())
    said = capsys.readouterr().out
    assert said.splitlines()[-1].startswith("demo: 144 windows") and LATER in said and "click 1" not in said


def test_links_name_what_they_show() -> None:
    window = parse_instant("2024-06-18 12:10:00")
    lines = "\n".join(Tour("http://h:1", "admin", "secret", "orders_curve", "abc", window).lines())
    assert "http://h:1/nrt/#/report/abc?day=2024-06-18\n" in lines, "the newest day has one window"
    assert "http://h:1/nrt/#/report/abc/window/2024-06-18T12%3A10%3A00?insert=orders_curve\n" in lines
    assert "the window that ends at 2024-06-18 12:10:00: its rows" in lines
    assert lines.endswith("http://h:1/dags/orders_curve/runs/demo/tasks/stream")
