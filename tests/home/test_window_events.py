"""Which windows a log completes and restates, entry by entry."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease, OperatorState, Position, Published, Restate, Tick
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.window_events import Completed, Restated, has_window_events, read_window_events, table_of
from tests.sample import plan_of

COMPLETED, RESTATED = Completed(), Restated()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "home", plan_of())


@pytest.fixture
def writer(home: Home) -> Writer:
    return Writer.begin(home.log(), Lease("host", 1, "app"))


def version(end: int, state: str, table: str = "curve", staged: str = "staged/none") -> Published:
    return Published(table, end - 10, end, state, 1, "", staged, f"{end}.json")


def publish(writer: Writer, complete: int, *published: Published) -> int:
    """A tick with these versions, after which windows up to `complete` are; gives its number."""
    state = OperatorState(watermark=complete, fired=complete)
    return writer.append(Tick(published, 0, Position(operators={"operator": state}))).n


def restate(home: Home, *published: Published) -> None:
    home.log().append(Restate(published, (), "repair", {}, home.log().last), None)


def test_each_window_is_complete_once(home: Home, writer: Writer) -> None:
    publish(writer, 5, version(10, "early"))
    first = publish(writer, 20, version(20, "complete"), version(10, "complete"))
    assert read_window_events(home, COMPLETED, "curve", -1).ends == (10, 20)
    publish(writer, 30, version(30, "complete"), version(20, "late"))
    last = publish(writer, 40, version(20, "last"))
    events = read_window_events(home, COMPLETED, "curve", first)
    assert (events.ends, events.until) == ((30,), last)
    assert read_window_events(home, COMPLETED, "curve", last).ends == ()


def test_a_last_version_is_the_complete_one_where_none_came_before(home: Home, writer: Writer) -> None:
    publish(writer, 5, version(10, "early"))
    publish(writer, 10, version(10, "last"))
    publish(writer, 20, version(20, "complete"))
    publish(writer, 30, version(20, "last"), version(30, "last"))
    assert read_window_events(home, COMPLETED, "curve", -1).ends == (10, 20, 30)
    assert read_window_events(home, RESTATED, "curve", -1).ends == (20,)


def test_late_updates_backfills_and_repairs_restate(home: Home, writer: Writer) -> None:
    publish(writer, 20, version(10, "complete"), version(20, "complete"))
    publish(writer, 20, version(20, "late"))
    restate(home, version(10, "restated"))
    publish(Writer.begin(home.log(), Lease("host", 1, "app")), 30, version(30, "complete"))
    assert read_window_events(home, RESTATED, "curve", -1).ends == (20, 10)
    assert read_window_events(home, COMPLETED, "curve", -1).ends == (10, 20, 30)


def test_early_results_are_no_window_events(home: Home, writer: Writer) -> None:
    log = home.log()
    early = log.read(publish(writer, 5, version(10, "early")))
    late = log.read(publish(writer, 10, version(10, "complete")))
    assert not has_window_events(early, log, None)
    assert has_window_events(late, log, "curve") and not has_window_events(late, log, "another")


def test_what_is_decided_and_not_visible_yet_holds_up_what_follows(home: Home, writer: Writer) -> None:
    waiting = home.staged.local / "1-abc"
    waiting.mkdir()
    publish(writer, 10, version(10, "complete", staged="staged/1-abc/10.json"))
    publish(writer, 20, version(20, "complete"))
    assert read_window_events(home, COMPLETED, "curve", -1).ends == ()
    waiting.rmdir()
    assert read_window_events(home, COMPLETED, "curve", -1).ends == (10, 20)


def test_windows_of_other_tables_and_rows_without_a_window_are_left_out(home: Home, writer: Writer) -> None:
    rows = Published("curve", None, None, "passed", 3, "", "staged/none", "rows")
    last = publish(writer, 10, version(10, "complete", table="other"), rows)
    events = read_window_events(home, COMPLETED, "curve", -1)
    assert (events.ends, events.until, events.since) == ((), last, None)


def test_a_long_log_is_read_in_parts(home: Home, writer: Writer) -> None:
    for end in range(10, 60, 10):
        publish(writer, end, version(end, "complete"))
    first = read_window_events(home, COMPLETED, "curve", -1, most=2)
    assert first.ends == (10, 20)
    assert read_window_events(home, COMPLETED, "curve", first.until).ends == (30, 40, 50)
    assert read_window_events(home, COMPLETED, "curve", -1, until=first.until).ends == (10, 20)


def test_the_table_may_be_left_out_where_one_has_windows(home: Home) -> None:
    (known,) = (insert.name for insert in plan_of().inserts)
    assert table_of(home, None) == table_of(home, known) == known
    with pytest.raises(InputError, match="no windows in a table 'orders': it has some in"):
        table_of(home, "orders")
    home.outline_file.local.unlink()
    assert table_of(home, "any") == "any"
    with pytest.raises(InputError, match="name the table"):
        table_of(home, None)
