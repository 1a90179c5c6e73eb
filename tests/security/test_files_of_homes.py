"""Files of a home are read as what they must be: whatever else stands there is named, and nothing of it is said."""

from __future__ import annotations

import copy
import json
import os
import shutil
import socket
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_nrt.basics.errors import HomeError, InputError, NrtError
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.home.driver_log import last_lines_or_reason
from airflow_nrt.home.home import Home
from airflow_nrt.home.launch_failure import launch_failure, note_launch_failure
from airflow_nrt.home.ledger import records
from airflow_nrt.home.log.chapters import CHAPTER, chapter_of
from airflow_nrt.home.log.entries import OperatorState, Position, Tick
from airflow_nrt.home.log.log import Log
from airflow_nrt.home.published_directory import OWNER
from airflow_nrt.home.status import read_status
from airflow_nrt.launch.start import start_launch
from airflow_nrt.launch.submission import Submission
from tests.engine.no_spark import NO_SPARK
from tests.launch.homes import beat, fire, launch, lease
from tests.sample import plan_of
from tests.security.others import AS_ROOT, NOBODY

SECRET = "root:$6$secret"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """What this user can read, and nobody else."""
    file = tmp_path / "shadow"
    file.write_text(SECRET)
    file.chmod(0o600)
    return file


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """With a file of each kind."""
    home = Home.create(tmp_path / "home", plan_of())
    writer = lease(home)
    fire(home, writer, 7)
    launch(home, 1)
    note_launch_failure(str(home.path), "1", InputError("no such table"))
    home.ask_to_stop()
    beat(home, writer.epoch)
    home.driver_log.local.write_text("a line\n")
    rejected = home.ledger.local / "1-x" / "rejected"
    rejected.mkdir(parents=True)
    (rejected / "part-0.txt").write_text('{"reason": "malformed"}\n')
    return home


READERS: dict[str, Callable[[Home], object]] = {
    "report.json": lambda home: Home.open(home.path),
    "log/1.json": lambda home: home.log().position(),
    "launches/1.json": lambda home: launch_failure(home, "1"),
    "stop": lambda home: home.is_stop_asked(1),
    "ledger/1-x/rejected/part-0.txt": lambda home: list(records(home.ledger / "1-x" / "rejected")),
}
of_each_kind = pytest.mark.parametrize("name", READERS)


def fifo(path: Path, _: Path) -> None:
    os.mkfifo(path)


def listening(path: Path, _: Path) -> None:
    # Its path may be too long for a socket.
    place = os.getcwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(place)


PUT: dict[str, Callable[[Path, Path], object]] = {
    "a link": lambda path, secret: path.symlink_to(secret),
    "a dangling link": lambda path, secret: path.symlink_to(secret.parent / "nowhere"),
    "a link to itself": lambda path, secret: path.symlink_to(path),
    "a pipe": fifo,
    "a socket": listening,
    "a directory": lambda path, secret: path.mkdir(),
    "a device": lambda path, secret: path.symlink_to("/dev/zero"),
}


@of_each_kind
@pytest.mark.parametrize("put", PUT)
def test_what_is_no_regular_file_is_named_and_not_read(home: Home, secret: Path, name: str, put: str) -> None:
    READERS[name](home)
    (home.path / name).unlink()
    PUT[put](home.path / name, secret)
    with pytest.raises(HomeError, match=f"{home.path / name} is (a link|no regular file).*take it away") as refused:
        READERS[name](home)
    assert SECRET not in str(refused.value)


@AS_ROOT
@of_each_kind
def test_a_file_of_another_user(home: Home, name: str) -> None:
    os.chown(home.path / name, NOBODY, NOBODY)
    with pytest.raises(HomeError, match=f"{home.path / name} belongs to user {NOBODY}"):
        READERS[name](home)


@of_each_kind
@pytest.mark.parametrize("mode", [0o666, 0o660])
def test_a_file_that_others_can_write(home: Home, name: str, mode: int) -> None:
    (home.path / name).chmod(mode)
    with pytest.raises(HomeError, match=f"{home.path / name} can be written by"):
        READERS[name](home)


NO_RECORDS = {
    "no text": b"\xff\xfe",
    "a number": b"7",
    "a text": b'"text"',
    "an array": b"[]",
    "deep arrays": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "many digits": b"1" * 5000,
}


@of_each_kind
@pytest.mark.parametrize("content", NO_RECORDS)
def test_what_is_no_such_json(home: Home, name: str, content: str) -> None:
    (home.path / name).write_bytes(NO_RECORDS[content])
    with pytest.raises(HomeError, match=r"can't be read|not readable"):
        READERS[name](home)


def test_names_in_a_file_can_be_printed(home: Home) -> None:
    """Those of sources and operators, too, which JSON may spell with halves of characters."""
    tick = home.log().append(Tick((), 0, Position(operators={"w": OperatorState()})), epoch=None)
    file = home.log_directory.local / f"{tick.n}.json"
    file.write_text(file.read_text().replace('"w"', r'"w\ud800"'))
    assert list(home.log().position().operators) == ["w?"]


def test_a_file_that_is_larger_than_any_of_its_kind(home: Home) -> None:
    os.truncate(home.report_file.local, 2**40)
    with pytest.raises(HomeError, match=r"report\.json has more than 67108864 bytes"):
        Home.open(home.path)


def test_a_request_to_stop_is_small_or_not_parsed(home: Home) -> None:
    """Triggers read it, and parsing holds up all other threads of a triggerer."""
    home.stop_file.local.write_text(f"[{'[],' * 400_000}[]]")
    with pytest.raises(HomeError, match="stop has more than 1048576 bytes"):
        home.is_stop_asked(1)


# ---------------------------------------------------------------------------------------------------- the driver's log


def test_the_log_of_a_driver_is_appended_to_no_other_file(home: Home, secret: Path) -> None:
    home.driver_log.local.unlink()
    home.driver_log.local.symlink_to(secret)
    with pytest.raises(HomeError, match=f"{home.driver_log} is a link"):
        start_launch(home, 2, Submission({}, "driver.py", {}), 1000, "a test")
    assert secret.read_text() == SECRET
    assert all(SECRET not in line for line in last_lines_or_reason(home))


def test_nor_to_a_new_file_elsewhere(home: Home, tmp_path: Path) -> None:
    home.driver_log.local.unlink()
    home.driver_log.local.symlink_to(tmp_path / "authorized_keys")
    with pytest.raises(HomeError, match="is a link"):
        start_launch(home, 2, Submission({}, "driver.py", {}), 1000, "a test")
    assert not (tmp_path / "authorized_keys").exists()


# ---------------------------------------------------------------------------------------------------- a sink's owner


@pytest.mark.parametrize("put", PUT)
def test_the_owner_of_a_sink_discloses_no_file(tmp_path: Path, secret: Path, put: str) -> None:
    plan = plan_of(base=tmp_path)
    home = Home.create(tmp_path / "home", plan)
    (tmp_path / "curve").mkdir()
    PUT[put](tmp_path / "curve" / OWNER, secret)
    with pytest.raises(InputError, match="does not say whose the directory is") as refused:
        sink_of(plan.inserts[0]).check(NO_SPARK, home, plan.inserts[0])
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("content", [SECRET.encode(), b"\xff", b"", b"a" * 1000])
def test_nor_what_is_no_id(tmp_path: Path, content: bytes) -> None:
    plan = plan_of(base=tmp_path)
    home = Home.create(tmp_path / "home", plan)
    (tmp_path / "curve").mkdir()
    (tmp_path / "curve" / OWNER).write_bytes(content)
    with pytest.raises(InputError, match="does not say whose the directory is") as refused:
        sink_of(plan.inserts[0]).check(NO_SPARK, home, plan.inserts[0])
    assert SECRET not in str(refused.value)


# ---------------------------------------------------------------------------------------------------- names, and texts


@pytest.mark.parametrize("name", ["²", "٣", "007", "9" * 200, "-1", "1 "])
def test_names_that_are_no_numbers(home: Home, name: str) -> None:
    log, launched = home.log().last, home.newest_launch()
    for file in (home.log_directory.local / f"{name}.json", home.launches.local / f"{name}.launch"):
        file.write_text("{}")
    assert (home.log().last, home.newest_launch()) == (log, launched)
    lease(home).log.bind()


def test_a_long_error_is_cut(home: Home) -> None:
    note = json.loads((home.launches.local / "1.json").read_text())
    (home.launches.local / "1.json").write_text(json.dumps({**note, "error": "x" * 30_000_000}))
    failure = launch_failure(home, "1")
    assert failure is not None and len(failure.error) <= 10_000 and failure.final


def test_a_chapter_is_read_as_any_file(home: Home, secret: Path) -> None:
    directory = home.log_directory
    while Log(directory).last < 3 * CHAPTER:
        fire(home, writer := lease(home), 7)
        for _ in range(CHAPTER):
            fire(home, writer, 7)
    chapter = chapter_of(directory, 0)
    assert len(list(Log(directory).entries(0, CHAPTER))) == CHAPTER + 1
    chapter.local.unlink()
    chapter.local.symlink_to(secret)
    with pytest.raises(HomeError, match=f"{chapter} is a link"):
        Log(directory).read(0)


# ---------------------------------------------------------------------------------------------------- any JSON

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["²", "\ud800", "../../etc/passwd", "a\0b", 10**400]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def older_home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A real one with all that a log can hold."""
    place = tmp_path_factory.mktemp("older")
    with tarfile.open(Path(__file__).parents[1] / "home" / "homes" / "format-1.tar.gz") as archive:
        archive.extractall(place, filter="data")
    return Home(next(place.rglob("report.json")).parent)


@pytest.fixture(scope="module")
def newer_home(older_home: Home) -> Home:
    """The same as this version writes it."""
    home = Home(older_home.path.with_name("newer"))
    shutil.copytree(older_home.path, home.path)
    home.report_file.local.write_bytes(older_home.identity().to_bytes())
    for entry in older_home.log().audit():
        (home.log_directory.local / f"{entry.n}.json").write_text(json.dumps(entry.to_json()))
    return home


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all that stands in JSON."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield from places(one, (*path, key))


def changed(content: Any, path: tuple[Any, ...], value: Any, is_gone: bool) -> Any:
    if not path:
        return value
    around = content = copy.deepcopy(content)
    for key in path[:-1]:
        around = around[key]
    if is_gone:
        del around[path[-1]]
    else:
        around[path[-1]] = value
    return content


@given(st.data())
def test_whatever_a_file_says_it_is_read_or_refused(older_home: Home, newer_home: Home, data: st.DataObject) -> None:
    home = data.draw(st.sampled_from([older_home, newer_home]))
    files = [home.report_file.local, *sorted(home.log_directory.local.iterdir())]
    file = data.draw(st.sampled_from(files))
    before = file.read_bytes()
    content = json.loads(before)
    path = data.draw(st.sampled_from(list(places(content))))
    new = changed(content, path, data.draw(VALUES), data.draw(st.booleans()))
    try:
        file.write_text(json.dumps(new))
        json.dumps(read_status(Home.open(home.path)).to_json(), ensure_ascii=False).encode()
        list(home.log().audit())
    except NrtError:
        pass
    finally:
        file.write_bytes(before)


def test_what_is_changed_can_be_read_before(older_home: Home, newer_home: Home) -> None:
    status = [read_status(Home.open(home.path)) for home in (older_home, newer_home)]
    assert status[0].windows == status[1].windows > 0
