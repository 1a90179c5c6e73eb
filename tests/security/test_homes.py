"""A home is trusted by its owner: what another user has prepared, or can change, is refused by name."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from airflow.sdk.exceptions import TaskDeferred

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.cli.main import main
from airflow_nrt.files.private_files import open_private
from airflow_nrt.home.directories import PARTS
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import launch_failure
from airflow_nrt.home.log.entries import Lease
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.launch.command_lines import LAUNCHER
from airflow_nrt.launch.engine import place_engine, place_report
from airflow_nrt.launch.submission import Cluster, Submission, driver_submission
from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.program.program import Program
from airflow_nrt.sensors.window import NrtWindowSensor
from airflow_nrt.triggers.driver_health import Observation
from airflow_nrt.triggers.watcher import WATCHER, Unreadable, look
from airflow_nrt.triggers.window import look_at_windows
from tests.launch.homes import REPORT, beat, lease, new_home
from tests.sample import plan_of
from tests.security.others import AS_ROOT, NOBODY, give_to_nobody, tree

DOORS: dict[str, Callable[[Path], object]] = {
    "open": Home.open,
    "create": lambda path: Home.create(path, plan_of()),
    "checked": lambda path: Home.checked(path, plan_of()),
    "a driver's trigger": lambda path: look(str(path)),
    "a window's trigger": lambda path: look_at_windows(str(path)),
}
"""All ways by which a home is reached."""
through_each_door = pytest.mark.parametrize("door", DOORS)


@pytest.fixture
def sticky(tmp_path: Path) -> Path:
    """A directory like /tmp, in which everybody may make something."""
    place = tmp_path / "sticky"
    place.mkdir()
    place.chmod(0o1777)
    return place


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.create(tmp_path / "home", plan_of())
    for part in PARTS:
        (home.path / part).mkdir(mode=0o700, exist_ok=True)
    return home


@AS_ROOT
@through_each_door
def test_a_home_that_another_user_has_prepared(sticky: Path, door: str) -> None:
    home = Home.create(sticky / "home", plan_of())
    beat(home, lease(home).epoch)
    give_to_nobody(home.path)
    with pytest.raises(HomeError, match=f"{home.path} belongs to user {NOBODY}.* Take another place"):
        DOORS[door](home.path)


@AS_ROOT
def test_a_command_names_it_and_ends(sticky: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = Home.create(sticky / "home", plan_of())
    give_to_nobody(home.path)
    assert main(["status", "--home", str(home.path)]) == 2
    assert f"airflow-nrt: {home.path} belongs to user {NOBODY}" in capsys.readouterr().err


@AS_ROOT
def test_nothing_is_written_into_a_directory_of_another_user(sticky: Path) -> None:
    launches = sticky / "home" / "launches"
    launches.mkdir(parents=True)
    give_to_nobody(sticky / "home")
    with pytest.raises(HomeError, match="is not trusted"):
        Home.create(sticky / "home", plan_of())
    assert list(tree(sticky / "home")) == [sticky / "home", launches]


@AS_ROOT
@through_each_door
@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_another_user(home: Home, door: str, part: str) -> None:
    give_to_nobody(home.path / part)
    with pytest.raises(HomeError, match=f"{home.path / part} belongs to user {NOBODY}"):
        DOORS[door](home.path)


@through_each_door
@pytest.mark.parametrize("part", ["", *PARTS])
@pytest.mark.parametrize("mode, others", [(0o770, "group"), (0o707, "everybody"), (0o1777, "everybody")])
def test_what_others_can_write(home: Home, door: str, part: str, mode: int, others: str) -> None:
    (home.path / part).chmod(mode)
    with pytest.raises(HomeError, match=f"{home.path / part} can be written by {others}.*chmod -R go-w"):
        DOORS[door](home.path)


@through_each_door
@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_a_link(home: Home, tmp_path: Path, door: str, part: str) -> None:
    (home.path / part).rename(tmp_path / "elsewhere")
    (home.path / part).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HomeError, match=f"{home.path / part} is no directory, and a link to one does not count"):
        DOORS[door](home.path)


@AS_ROOT
def test_a_link_counts_where_this_user_made_it(home: Home, sticky: Path) -> None:
    link = sticky / "link"
    link.symlink_to(home.path)
    assert Home.open(link).identity() == home.identity()
    os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
    with pytest.raises(HomeError, match=f"{link} belongs to user {NOBODY}"):
        Home.open(link)


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o700])
def test_one_that_others_can_only_read_is_opened_as_before(home: Home, mode: int) -> None:
    for path in tree(home.path):
        path.chmod(mode if path.is_dir() else mode & 0o666)
    assert Home.open(home.path).identity().name == "curve"


# ---------------------------------------------------------------------------------------------------- code in a home


@pytest.mark.parametrize("which", [0, 1])
def test_what_stands_under_the_name_of_the_engine_is_no_engine(home: Home, which: int) -> None:
    placed = place_engine(home)
    assert place_engine(home) == placed
    placed[which].write_bytes(b"print('taken over')")
    with pytest.raises(HomeError, match=f"{placed[which]} is not what was put there"):
        place_engine(home)
    placed[which].unlink()
    placed[which].symlink_to("/etc/hostname")
    with pytest.raises(HomeError, match=f"{placed[which]} is a link"):
        place_engine(home)


def test_what_stands_under_the_name_of_a_report_is_no_report(home: Home, tmp_path: Path) -> None:
    report = tmp_path / "report.sql"
    report.write_text("SELECT 1")
    place_report(home, report).write_text("SELECT 2")
    with pytest.raises(HomeError, match="is not what was put there"):
        place_report(home, report)


def test_what_stands_under_the_name_of_a_program_is_no_program(home: Home, tmp_path: Path) -> None:
    (tmp_path / "report.py").write_text("def build(environment): ...")
    program = Program(tmp_path, "report", "build")
    copy = program.copied_to(home.launches.local)
    assert program.copied_to(home.launches.local) == copy
    copy.files[0].write_text("print('taken over')")
    with pytest.raises(HomeError, match=f"{copy.files[0]} is not what was put there"):
        program.copied_to(home.launches.local)


# ---------------------------------------------------------------------------------------------------- a group


@AS_ROOT
def test_a_group_shares_a_home_that_names_it(sticky: Path) -> None:
    group = str(NOBODY)
    home = Home.create(sticky / "home", plan_of(), group=group)
    Writer.begin(home.log(), Lease("host", 1, "application"))
    home.ask_to_stop()
    for path in tree(home.path):
        found = path.stat()
        assert (found.st_gid, oct(stat.S_IMODE(found.st_mode))) == (NOBODY, "0o2770" if path.is_dir() else "0o660")
    # As a member of the group would have made it.
    os.chown(home.path / "log" / "0.json", NOBODY, NOBODY)
    assert Home.open(home.path, group).log().epoch() == 1
    with pytest.raises(HomeError, match=f"can be written by group {NOBODY}.*named by the field `group`"):
        Home.open(home.path)
    with pytest.raises(HomeError, match=f"can be written by group {NOBODY}"):
        Home.open(home.path, "0")


@AS_ROOT
def test_a_directory_that_was_made_for_a_group_hands_it_on(sticky: Path) -> None:
    """Also without the bit for it: else what is made there has this process's own group, which may write it, too."""
    made = sticky / "home"
    made.mkdir()
    os.chown(made, 0, NOBODY)
    made.chmod(0o770)
    home = Home.create(made, plan_of(), group=str(NOBODY))
    Writer.begin(home.log(), Lease("host", 1, "application"))
    beat(home, 1)
    os.close(open_private(home.driver_log.local, os.O_WRONLY | os.O_CREAT))
    assert {path.stat().st_gid for path in tree(made)} == {NOBODY}
    assert Home.open(made, str(NOBODY)).log().epoch() == 1


def test_a_look_of_whoever_trusts_a_group_is_no_other_s(sticky: Path) -> None:
    """Both ask at once, as triggers of one home do that share a read."""
    group = str(os.getegid())
    home = Home.create(sticky / "home", plan_of(), group=group)
    beat(home, 1)

    async def see() -> tuple[object, object]:
        both = (WATCHER.see(str(home.path), one) for one in (group, None))
        return tuple(await asyncio.gather(*both, return_exceptions=True))

    trusting, other = asyncio.run(see())
    assert isinstance(trusting, Observation) and isinstance(other, Unreadable)


@AS_ROOT
def test_all_of_a_group_can_make_homes_beside_the_first(sticky: Path) -> None:
    Home.create(sticky / "homes" / "first", plan_of(), group=str(NOBODY))
    found = (sticky / "homes").stat()
    assert (found.st_gid, oct(stat.S_IMODE(found.st_mode))) == (NOBODY, "0o2775")


def test_who_is_not_in_a_group_makes_no_home_for_it(sticky: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "chown", refuse)
    with pytest.raises(InputError, match=f"can't make {sticky / 'home'} for the group '0'"):
        Home.create(sticky / "home", plan_of(), group="0")
    assert not (sticky / "home").exists()


@AS_ROOT
def test_the_id_of_a_group_needs_no_name(sticky: Path) -> None:
    """As that of a volume, which no container knows by name."""
    home = Home.create(sticky / "home", plan_of(), group="1234567")
    assert (home.path / "log").stat().st_gid == 1234567


@pytest.mark.process
def test_the_launcher_opens_a_home_that_a_group_shares(sticky: Path) -> None:
    """What it says of it has come to what lies behind."""
    group = str(os.getegid())
    home = Home.create(sticky / "home", plan_of(), group=group)
    submission = Submission({"conn_type": "spark", "extra": {"spark-binary": "spark3-submit"}}, "driver.py", {})
    subprocess.run(
        [sys.executable, "-m", LAUNCHER, str(home.path), "1", group],
        input=submission.to_json(), text=True, cwd=Path(__file__).parents[2], check=False,
    )  # fmt: skip
    told = launch_failure(home, "1")
    assert told is not None and told.error.startswith("spark3-submit is not on the PATH")


@pytest.mark.parametrize("group", ["strangers", "-1", str(2**32 - 1), "²"])
def test_a_group_that_is_none(home: Home, group: str) -> None:
    with pytest.raises(InputError, match=f"there is no group '{group}'"):
        Home.open(home.path, group)


def test_it_travels_to_the_driver(tmp_path: Path) -> None:
    home = Home(new_home(tmp_path).path, "0")
    arguments = driver_submission(Cluster({}, "local[1]"), home, "curve", []).hook["application_args"]
    assert arguments[arguments.index("--group") + 1] == "0"


@pytest.mark.process
def test_it_travels_to_the_triggers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_SHARED", json.dumps({"conn_type": "nrt", "extra": {"group": "0"}}))
    home = new_home(tmp_path)
    beat(home, lease(home).epoch)
    given = {"nrt_conn_id": "shared", "home": str(home.path)}
    stream = NrtStreamOperator(task_id="stream", report=str(REPORT), settings={"DATA": str(tmp_path)}, **given)
    sensor = NrtWindowSensor(task_id="wait", window_end="2024-06-18 10:00", deferrable=True, **given)
    for task in (sensor, stream):
        with pytest.raises(TaskDeferred) as deferred:
            ti = SimpleNamespace(
                dag_id="dag", task_id="task", run_id="run", map_index=-1, xcom_push=lambda *_, **__: None
            )
            task.execute({"ti": ti})
        assert deferred.value.trigger.serialize()[1]["group"] == "0"
    assert deferred.value.kwargs is not None and deferred.value.kwargs["group"] == "0"
