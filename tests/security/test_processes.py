"""No process is killed that is not the home's driver or its launcher, whatever the home says.

Who can write a home names a process of this host with all that is public about it; the process is innocent, and so it
lives on.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.files.process_start import ProcessStart
from airflow_nrt.home.heartbeat import RUNNING, Heartbeat, now_ms, read_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.launch import processes
from airflow_nrt.launch.command_lines import driver_of, launcher_of
from airflow_nrt.launch.launch_records import Launch, last_launch, pending_launch, put_launch
from airflow_nrt.launch.living import kill_driver, living_driver
from airflow_nrt.launch.processes import ProcessMark, driver_process
from tests.launch.homes import HOST, beat, hanging_driver, lease, new_home, with_command_line

NOBODY = 65534
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = new_home(tmp_path)
    lease(home)
    return home


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts processes that wait for ever, and ends them after the test."""
    started: list[subprocess.Popen[bytes]] = []

    def waiting(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
        line = ["/bin/sh", "-c", "read line", "sh", *arguments]
        started.append(with_command_line(subprocess.Popen(line, stdin=subprocess.PIPE, **options)))
        return started[-1]

    yield waiting
    for process in started:
        process.kill()
        process.wait()


def said(home: Home, **fields: Any) -> Heartbeat:
    """What the heartbeat of the home says of its driver."""
    beat(home, 1, **fields)
    found = read_heartbeat(home.heartbeats)
    assert found is not None
    return found


def command_of(home: Home, launch: str = "7") -> list[str]:
    return ["--report", "curve.sql", "--home", str(home.path), "--launch", launch]


# ---------------------------------------------------------------------------------------------------- drivers


@pytest.mark.process
def test_the_driver_itself_is_killed(home: Home, start: Start) -> None:
    driver = start(*command_of(home))
    assert kill_driver(home, said(home, pid=driver.pid, launch="7"))
    assert driver.wait(10) == -signal.SIGKILL


@pytest.mark.process
def test_a_driver_of_the_command_line_is_known_by_a_relative_home_over_a_link(
    home: Home, start: Start, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    driver = start("run", "curve.sql", "--home=link/home", cwd=tmp_path)
    assert kill_driver(home, said(home, pid=driver.pid))
    assert driver.wait(10) == -signal.SIGKILL


@pytest.mark.process
@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--home", "/elsewhere", "--launch", "7"],
        ["--home", "HOME", "--launch", "8"],
        ["--home", "HOME"],
        ["run", "--home", "HOME"],
        ["HOME", "7"],
        ["status", "--home", "HOME --launch 7"],
    ],
)
def test_a_process_with_another_command_line_is_innocent(home: Home, start: Start, arguments: list[str]) -> None:
    innocent = start(*(argument.replace("HOME", str(home.path)) for argument in arguments))
    crafted = said(home, pid=innocent.pid, launch="7")
    assert not kill_driver(home, crafted)
    assert innocent.poll() is None and not driver_process(crafted).is_gone()


@pytest.mark.process
def test_a_command_about_the_home_is_not_its_driver(home: Home, start: Start) -> None:
    status = start("status", "--home", str(home.path))
    assert not kill_driver(home, said(home, pid=status.pid))
    assert status.poll() is None


@pytest.mark.process
@pytest.mark.parametrize(
    "other, is_gone",
    [
        ({"ticks": 1}, True),
        ({"boot": "0" * 36}, False),
        ({"namespace": 1}, False),
        ({"boot": "0" * 36, "ticks": 1}, False),
        ({"namespace": 1, "ticks": 1}, False),
    ],
)
def test_a_driver_that_began_otherwise_or_elsewhere_is_another(
    home: Home, start: Start, other: dict[str, Any], is_gone: bool
) -> None:
    """Two containers may share a host's name; what a number means in the other one is not known here."""
    process = start(*command_of(home))
    true = ProcessStart.of(process.pid)
    assert true is not None
    crafted = said(home, pid=process.pid, launch="7", process_start=replace(true, **other))
    assert not kill_driver(home, crafted)
    assert process.poll() is None
    assert driver_process(crafted).is_gone() is is_gone


@pytest.mark.process
def test_a_process_of_another_user_is_not_this_user_s_driver(home: Home, start: Start) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root starts processes of others")
    process = start(*command_of(home), user=NOBODY, cwd="/")
    assert not kill_driver(home, said(home, pid=process.pid, launch="7"))
    assert process.poll() is None


@pytest.mark.process
def test_a_heartbeat_of_format_1_kills_nobody(home: Home, start: Start) -> None:
    driver = start(*command_of(home))
    home.heartbeats.local.mkdir(exist_ok=True)
    old = {"state": RUNNING, "epoch": 1, "host": HOST, "pid": driver.pid, "started": now_ms(), "application": "app"}
    (home.heartbeats.local / "1.json").write_text(json.dumps({**old, "launch": "7", "beat": now_ms()}))
    read = read_heartbeat(home.heartbeats)
    assert read is not None and living_driver(home) == read
    assert not kill_driver(home, read)
    assert driver.poll() is None
    driver.kill()
    driver.wait()
    assert driver_process(read).is_gone()


@pytest.mark.parametrize("pid", [0, -1, 2**31, True, "1", 1.0, None])
def test_a_number_that_no_process_has_is_unreadable(home: Home, pid: object) -> None:
    beat(home, 1)
    file = home.heartbeats.local / "1.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "pid": pid}))
    with pytest.raises(HomeError, match=r"the heartbeat .*1\.json can't be read"):
        read_heartbeat(home.heartbeats)


def test_the_first_process_is_nobody_s_to_judge(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver in a container may be it. Here it is another's, though everything but its number is right."""
    first = said(home, pid=1, process_start=ProcessStart.of(1))
    refuse_signals(monkeypatch)
    assert not driver_process(first).kill(lambda line: True)
    assert not driver_process(first).is_gone()
    assert not driver_process(replace(first, process_start=None)).is_gone()


@pytest.mark.process
def test_without_handles_of_processes_nobody_is_killed(
    home: Home, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = start(*command_of(home))
    monkeypatch.delattr(os, "pidfd_open")
    assert not kill_driver(home, said(home, pid=driver.pid, launch="7"))
    assert driver.poll() is None


@pytest.mark.process
def test_a_process_that_gets_the_number_during_the_look_is_spared(home: Home, start: Start) -> None:
    """The handle is of the first process: what is read of the second one sends it no signal."""
    driver, other = start(*command_of(home)), start(*command_of(home))
    mark = ProcessMark.of(driver.pid)

    def while_it_ends(line: object) -> bool:
        driver.kill()
        driver.wait()
        return True

    assert not mark.kill(while_it_ends)
    assert other.poll() is None


def refuse_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> None:
        raise AssertionError(f"a signal was sent: {given}")

    for module, name in ((os, "kill"), (os, "killpg"), (signal, "pidfd_send_signal")):
        monkeypatch.setattr(module, name, refuse)
    monkeypatch.setattr(processes.CommandLine, "of", lambda pid: processes.CommandLine((), "/"))


# ---------------------------------------------------------------------------------------------------- launchers

PARENT = """
import subprocess
child = subprocess.Popen(["sleep", "60"])
print(child.pid, flush=True)
input()
"""


def launcher_like(home: Home, number: int, module: str = "airflow_nrt.launch.launcher") -> subprocess.Popen[bytes]:
    """A process with the command line of a launcher, which leads a group and has a child."""
    line = [sys.executable, "-c", PARENT, "-m", module, str(home.path), str(number)]
    launcher = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    return with_command_line(launcher)


def child_of(launcher: subprocess.Popen[bytes]) -> psutil.Process:
    assert launcher.stdout is not None
    return psutil.Process(int(launcher.stdout.readline()))


def record(home: Home, number: int, mark: ProcessMark) -> Launch:
    launch = Launch(number, mark, now_ms(), 60_000, "a test")
    assert put_launch(home, launch)
    found = last_launch(home)
    assert found == launch
    return launch


@pytest.mark.process
def test_a_launcher_is_killed_with_all_that_it_started(home: Home) -> None:
    with launcher_like(home, 1) as launcher:
        child = child_of(launcher)
        assert record(home, 1, ProcessMark.of(launcher.pid)).kill(home)
        assert launcher.wait(10) == -signal.SIGKILL
        psutil.wait_procs([child], timeout=10)
        assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


@pytest.mark.process
@pytest.mark.parametrize("number, module", [(2, "airflow_nrt.launch.launcher"), (1, "http.server")])
def test_a_group_of_another_leader_is_left_alone(home: Home, number: int, module: str) -> None:
    with launcher_like(home, number, module) as innocent:
        child = child_of(innocent)
        assert not record(home, 1, ProcessMark.of(innocent.pid)).kill(home)
        assert innocent.poll() is None and child.status() != psutil.STATUS_ZOMBIE
        for process in (child, psutil.Process(innocent.pid)):
            process.kill()


@pytest.mark.process
def test_the_launcher_of_another_home_is_left_alone(home: Home, tmp_path: Path) -> None:
    other = new_home(tmp_path / "other")
    with launcher_like(other, 1) as innocent:
        child = child_of(innocent)
        assert not record(home, 1, ProcessMark.of(innocent.pid)).kill(home)
        assert innocent.poll() is None
        for process in (child, psutil.Process(innocent.pid)):
            process.kill()


def test_a_launcher_that_is_the_first_process_kills_nobody(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """`kill(-1)` means all processes that the user has."""
    launch = record(home, 1, ProcessMark(HOST, 1, ProcessStart.of(1)))
    refuse_signals(monkeypatch)
    assert not launch.kill(home)
    assert not launch.launcher.kill_group(lambda line: True)
    assert pending_launch(home) == launch


@pytest.mark.process
def test_a_driver_whose_launcher_died_is_killed_by_its_own_mark(home: Home) -> None:
    with launcher_like(home, 7) as launcher, hanging_driver(home, "7") as driver:
        record(home, 7, ProcessMark.of(launcher.pid))
        child_of(launcher).kill()
        launcher.kill()
        launcher.wait()
        assert kill_driver(home, said(home, pid=driver.pid, launch="7"))
        assert driver.wait(10) == -signal.SIGKILL


@pytest.mark.parametrize("pid", [0, -1, True, "1", 2**31])
def test_a_launch_record_with_a_number_that_no_process_has_is_unreadable(home: Home, pid: object) -> None:
    launch = record(home, 1, ProcessMark.of(os.getpid()))
    crafted = {**asdict(launch), "launcher": {**asdict(launch.launcher), "pid": pid}}
    (home.launches.local / "1.launch").write_text(json.dumps({"format": 2, **crafted}))
    with pytest.raises(HomeError, match=r"the launch record .*1\.launch can't be read"):
        last_launch(home)


@pytest.mark.process
def test_a_launch_record_of_format_1_kills_nobody(home: Home, tmp_path: Path) -> None:
    with launcher_like(home, 1) as launcher:
        child = child_of(launcher)
        home.launches.local.mkdir(exist_ok=True)
        mark = {"host": HOST, "pid": launcher.pid, "seen": time.time()}
        old = {"number": 1, "launcher": mark, "time": now_ms(), "patience": 60_000, "by": "a test", "output": 0}
        (home.launches.local / "1.launch").write_text(json.dumps(old))
        launch = last_launch(home)
        assert launch is not None and not launch.kill(home)
        assert launcher.poll() is None
        for process in (child, psutil.Process(launcher.pid)):
            process.kill()


def test_real_command_lines_are_known() -> None:
    """As `launch/start.py`, Spark's runner of Python files, and a shell write them."""
    home = Home(Path("/homes/curve"))
    line = processes.CommandLine
    launched = ("python3", "/homes/curve/launches/driver-1.py", *command_of(home), "--master", "local[1]")
    assert driver_of(home, "7")(line(launched, "/"))
    assert not driver_of(home, "")(line(launched, "/"))
    assert driver_of(home, "")(line(("python3", "/bin/airflow-nrt", "run", "a.sql", "--home", "curve"), "/homes"))
    assert driver_of(home, "")(line(("airflow-nrt", "run", "a.sql", "--home=file:///homes/curve"), "/"))
    launcher = ("python3", "-m", "airflow_nrt.launch.launcher", "/homes/curve", "7")
    assert launcher_of(home, 7)(line(launcher, "/"))
    assert launcher_of(home, 7)(line((*launcher, "reports"), "/"))
    for other in ((), launcher[:-1], ("sh", "-c", " ".join(launcher)), ("python3", *launcher[3:])):
        assert not launcher_of(home, 7)(line(other, "/"))
