"""When windows are published: the example of the design document with a scripted watermark, and what readers see.

10:00            10:15    10:20    10:25    10:30 10:32        of event time
  |--------------- f ------ u ------ u ------ u --- c ------>
"""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.backfill import REPAIR, backfill
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.history.sink_history import standing_at
from airflow_nrt.model.result_timing import COMPLETE, EARLY, LAST, LATE, OutputOptions, Rows
from tests.engine.reports import MORNING, clock, plan_of
from tests.engine.sinks.test_standard_output import printed
from tests.engine.time.live import EVENTS, Live
from tests.engine.time.test_processing_time import QUERIES, SUMS, TUMBLE
from tests.engine.timed import TEN, Scripted, Seen, in_changes, timed_insert, without_key

SEED = OutputOptions(first_result=-15 * MINUTE, complete_result=2 * MINUTE, update_rate=5 * MINUTE)
WINDOWS = {
    "tumble": "TUMBLE(INTERVAL '30' MINUTE)",
    "hop": "HOP(INTERVAL '15' MINUTE, INTERVAL '30' MINUTE)",
    "cumulate": "CUMULATE(INTERVAL '15' MINUTE, INTERVAL '30' MINUTE)",
}


def test_the_example(spark, tmp_path: Path) -> None:
    stream = Scripted(spark, tmp_path, *(timed_insert(window, SEED, name) for name, window in WINDOWS.items()))
    for minute in (14, 15, 18, 20, 25, 30, 31, 32):
        stream.absorb((1, minute, minute))
    for name in WINDOWS:
        seen = [(one.at, one.state) for one in stream.published(name) if one.end == 30]
        assert seen == [(15, EARLY), (20, EARLY), (25, EARLY), (30, EARLY), (32, COMPLETE)], name
        (row,) = [row for row in stream.rows(name) if row["window_end"][11:16] == "10:30" and row["n"] > 4]
        # Those of 10:14 to 10:25.
        assert (row["n"], row["users"]) == (5, 5)
    assert verify(spark, stream.plan, stream.stream.home).is_proven


def test_results_without_rows(spark, tmp_path: Path) -> None:
    """Nobody's row moves time, and the end of the input: the window shows, and is complete, without rows of its own."""
    early = OutputOptions(first_result=-10 * MINUTE)
    stream = Scripted(spark, tmp_path, timed_insert(WINDOWS["tumble"], early))
    stream.absorb((1, 1, 3))
    stream.absorb(until=22)
    assert [row["n"] for row in stream.rows()] == [1]
    stream.absorb(until=24)
    stream.stream.end()
    assert stream.published()[0] == Seen(22, 30, EARLY)
    assert [one.state for one in stream.published()] == [EARLY, COMPLETE]


def test_late_rows_change_every_later_step(spark, tmp_path: Path) -> None:
    """
    10:00   10:10   10:20   10:30          the row of 10:03 comes when the windows up to 10:20 are complete, that of
      |--1--|--2--|--------|               10:04 when they are final
    """
    lately = OutputOptions(late_updates=True, last_result=20 * MINUTE, result_state="state")
    window = "CUMULATE(INTERVAL '10' MINUTE, INTERVAL '1' HOUR)"
    more = {"column": "state STRING,"}
    stream = Scripted(
        spark, tmp_path, timed_insert(window, lately, **more), timed_insert(window, OutputOptions(), "strict")
    )
    stream.absorb((1, 1, 1), (1, 2, 12), until=21)
    assert curve(stream) == [("10:10", 1, 1, COMPLETE), ("10:20", 2, 2, COMPLETE)]
    # User 2 is seen earlier now: no step counts him twice.
    stream.absorb((1, 2, 3), (1, 2, 13), until=22)
    assert curve(stream) == [("10:10", 2, 2, LATE), ("10:20", 4, 2, LATE)]
    assert verify(spark, stream.plan, stream.stream.home).is_proven
    stream.restart()
    stream.absorb(until=30)
    assert curve(stream) == [("10:10", 2, 2, LAST), ("10:20", 4, 2, LATE), ("10:30", 4, 2, COMPLETE)]
    stream.absorb((1, 3, 4), until=31)
    assert curve(stream) == [("10:10", 2, 2, LAST), ("10:20", 5, 3, LATE), ("10:30", 5, 3, LATE)]
    assert [one for one in stream.published() if one.at == 22] == [Seen(22, 10, LATE), Seen(22, 20, LATE)]
    assert [row["n"] for row in stream.rows("strict")] == [1, 2, 4]
    verdict = verify(spark, stream.plan, stream.stream.home)
    assert verdict.is_proven
    by_name = {one.insert: one for one in verdict.inserts}
    assert (by_name["counts"].equal, by_name["counts"].explained) == (2, 1)
    assert stream.stream.driver.position.operators["w1"].complete == by_end(stream, "10:30")


def test_a_window_that_no_longer_has_rows_is_taken_away(spark, tmp_path: Path) -> None:
    early = OutputOptions(first_result=-30 * MINUTE)
    few = timed_insert(WINDOWS["tumble"], early, more="HAVING COUNT(*) < 3")
    stream = Scripted(spark, tmp_path, few)
    stream.absorb((1, 1, 3), (2, 1, 4), (1, 2, 4))
    assert [(row["shop"], row["n"]) for row in stream.rows()] == [(1, 2), (2, 1)]
    stream.absorb((1, 1, 5), (2, 1, 6), (2, 1, 7))
    assert stream.rows() == []
    assert stream.stream.entries[-1].removed
    stream.absorb(until=30)
    assert verify(spark, stream.plan, stream.stream.home).is_proven


@pytest.mark.parametrize("keyed", [True, False])
def test_print_is_told_what_changes(spark, tmp_path: Path, capfd, keyed: bool) -> None:
    counted = OutputOptions(first_result=-30 * MINUTE, update_rate=Rows(2))
    insert = timed_insert(WINDOWS["tumble"], counted)
    insert = insert if keyed else without_key(insert)
    start, end = insert.index("WITH ("), insert.index(";")
    stream = Scripted(spark, tmp_path, insert[:start] + "WITH ('connector' = 'print')" + insert[end:])
    capfd.readouterr()
    stream.absorb((1, 1, 3))
    window = "2024-06-18 10:00:00, 2024-06-18 10:30:00"
    assert printed(capfd) == [f"+I[1, {window}, 1, 1]"]
    stream.absorb((2, 1, 4))
    assert printed(capfd) == []
    stream.absorb((1, 1, 5))
    before = [] if keyed else [f"-U[1, {window}, 1, 1]"]
    assert printed(capfd) == [*before, f"+U[1, {window}, 2, 1]", f"+I[2, {window}, 1, 1]"]
    stream.absorb(until=31)
    assert printed(capfd) == []
    # That the window is complete is news, though its rows are none.
    assert [(one.op, one.published.state) for one in standing_at(stream.stream.entries)] == [("+U", COMPLETE)]
    assert verify(spark, stream.plan, stream.stream.home).is_proven


def test_files_of_changes(spark, tmp_path: Path) -> None:
    """A window without rows is retracted, what was emitted is not emitted again, and a repair emits it anew."""
    lately = OutputOptions(first_result=-30 * MINUTE, late_updates=True, last_result=20 * MINUTE)
    few = {"more": "HAVING COUNT(*) < 3"}
    keyed = in_changes(timed_insert(WINDOWS["tumble"], lately, "keyed", **few))
    stream = Scripted(spark, tmp_path, keyed, without_key(keyed.replace("keyed", "pairs")))
    home, plan = stream.stream.home, stream.plan
    stream.absorb((1, 1, 3), (1, 1, 4), (2, 1, 5))
    assert emitted(stream, "keyed") == emitted(stream, "pairs") == [("c", 1, 2), ("c", 2, 1)]
    stream.restart()
    stream.absorb((1, 1, 6), (2, 1, 7))
    assert emitted(stream, "keyed")[2:] == [("d", 1, None), ("c", 2, 2)]
    assert emitted(stream, "pairs")[2:] == [("d", 1, 2), ("d", 2, 1), ("c", 2, 2)]
    # Complete as they are: news of the windows, and of no row.
    stream.absorb(until=31)
    assert [len(emitted(stream, name)) for name in ("keyed", "pairs")] == [4, 5]
    assert [one.published.state for one in standing_at(stream.stream.entries)] == [COMPLETE, COMPLETE]
    half = Interval(TEN, TEN + 30 * MINUTE)
    with pytest.raises(
        InputError,
        match="the stream still emits changes of later windows to keyed",
    ):
        backfill(spark, plan, home, half, True)
    stream.absorb((3, 1, 8), until=51)
    assert emitted(stream, "keyed")[4:] == emitted(stream, "pairs")[5:] == [("c", 3, 1)]
    assert verify(spark, plan, home).is_proven
    for name in ("keyed", "pairs"):
        (first, *_) = (one.target for entry in stream.stream.entries for one in entry.published if one.insert == name)
        file = tmp_path / name / first
        file.write_text(file.read_text().replace('"shop":2', '"shop":7'))
    assert [one.unexplained for one in verify(spark, plan, home).inserts] == [1, 1]
    result = backfill(spark, plan, home, half, True, REPAIR)
    assert result.verdict is not None and result.verdict.is_proven and len(result.published) == 2
    for name in ("keyed", "pairs"):
        assert [(row["shop"], row["n"]) for row in stream.rows(name)] == [(2, 2), (3, 1)]
    assert [one.published.state for one in standing_at(stream.stream.entries)] == ["restated", "restated"]


def emitted(stream: Scripted, name: str) -> list[tuple[str, int, int | None]]:
    changes = stream.changes(name)
    return [(one["op"], row["shop"], row["n"]) for one in changes for row in [one["after"] or one["before"]]]


def curve(stream: Scripted) -> list[tuple[str, int, int, str]]:
    return [(row["window_end"][11:16], row["n"], row["users"], row["state"]) for row in stream.rows()]


def by_end(stream: Scripted, text: str) -> int:
    return next(
        one.end
        for entry in stream.stream.entries
        for one in entry.published
        if one.end is not None and f"T{text.replace(':', '')}00." in one.target
    )


SESSION = "SESSION(INTERVAL '15' MINUTE)"


def test_the_example_of_a_session(spark, tmp_path: Path) -> None:
    """Rows that arrive after others make it longer at its start, so that it ends at 10:30 all the time."""
    stream = Scripted(spark, tmp_path, timed_insert(SESSION, SEED))
    stream.absorb((1, 1, 15))
    for minute, until in ((10, 18), (9, 20), (8, 25), (7, 30), (6, 31), (5, 32), (None, 40)):
        stream.absorb(*([] if minute is None else [(1, minute, minute)]), until=until)
    seen = [(one.at, one.end, one.state) for one in stream.published()]
    assert seen == [(15, 30, EARLY), (20, 30, EARLY), (25, 30, EARLY), (30, 30, EARLY), (32, 30, COMPLETE)]
    assert sessions(stream) == [("10:05", "10:30", 7)]
    assert verify(spark, stream.plan, stream.stream.home).is_proven


def test_sessions_grow_and_meet(spark, tmp_path: Path) -> None:
    """
    10:00     10:10     10:20     10:30     10:40
      |--1-------------|                       shown early, complete at 10:20
      |                      |--1-------------|
      |             x                          late: now they are one
    """
    lately = OutputOptions(first_result=-5 * MINUTE, late_updates=True, last_result=20 * MINUTE)
    stream = Scripted(spark, tmp_path, timed_insert(SESSION, lately))
    stream.absorb((1, 1, 2), (2, 1, 3), until=13)
    assert sessions(stream) == [("10:02", "10:17", 1), ("10:03", "10:18", 1)]
    # It has grown, and its first result is at 10:15 now.
    stream.absorb((1, 1, 5), until=14)
    assert sessions(stream) == [("10:02", "10:17", 1), ("10:03", "10:18", 1)]
    stream.absorb(until=15)
    assert sessions(stream) == [("10:02", "10:20", 2), ("10:03", "10:18", 1)]
    stream.absorb((1, 1, 24), until=25)
    assert verify(spark, stream.plan, stream.stream.home).is_proven
    stream.restart()
    stream.absorb((1, 2, 15), until=35)
    assert sessions(stream) == [("10:02", "10:39", 4), ("10:03", "10:18", 1)]
    assert verify(spark, stream.plan, stream.stream.home).is_proven
    stream.absorb(until=41)
    stream.absorb((2, 2, 4))
    stream.stream.end()
    assert sessions(stream) == [("10:02", "10:39", 4), ("10:03", "10:18", 1)]
    assert stream.stream.driver.position.dropped == 1
    assert verify(spark, stream.plan, stream.stream.home).is_proven


@pytest.mark.thorough
def test_a_session_says_what_it_is(spark, tmp_path: Path) -> None:
    """
    10:00     10:10     10:20     10:30
      |--1-------------|                    complete at 10:17, late, last at 10:37
        |--2-----------|                    shown with the first, of the same minute, and ends later
    """
    lately = OutputOptions(first_result=-5 * MINUTE, late_updates=True, last_result=20 * MINUTE, result_state="state")
    stream = Scripted(spark, tmp_path, timed_insert(SESSION, lately, column="state STRING,"))
    stream.absorb((1, 1, 2), (2, 1, 2.5), until=13)
    assert states(stream) == [("10:02", 1, EARLY), ("10:02", 1, EARLY)]
    stream.absorb(until=17)
    assert states(stream) == [("10:02", 1, COMPLETE), ("10:02", 1, EARLY)]
    stream.absorb(until=18)
    assert states(stream) == [("10:02", 1, COMPLETE), ("10:02", 1, COMPLETE)]
    stream.restart()
    stream.absorb((1, 2, 2), until=20)
    assert states(stream) == [("10:02", 2, LATE), ("10:02", 1, COMPLETE)]
    stream.absorb((3, 1, 1), until=21)
    assert states(stream) == [("10:01", 1, LATE), ("10:02", 2, LATE), ("10:02", 1, COMPLETE)]
    assert verify(spark, stream.plan, stream.stream.home).is_proven
    stream.stream.end()
    assert states(stream) == [("10:01", 1, LAST), ("10:02", 2, LAST), ("10:02", 1, LAST)]
    assert verify(spark, stream.plan, stream.stream.home).is_proven


def states(stream: Scripted) -> list[tuple[str, int, str]]:
    found = sorted((row["window_start"], row["n"], row["state"]) for row in stream.rows())
    return [(start[11:16], n, state) for start, n, state in found]


@pytest.mark.thorough
def test_a_session_is_updated_by_its_rows(spark, tmp_path: Path) -> None:
    """Those of all that it puts together count."""
    counted = OutputOptions(first_result=-10 * MINUTE, update_rate=Rows(2))
    stream = Scripted(spark, tmp_path, timed_insert(SESSION, counted))
    stream.absorb((1, 1, 2), (2, 1, 3), until=8)
    assert sessions(stream) == [("10:02", "10:17", 1), ("10:03", "10:18", 1)]
    stream.absorb((1, 1, 3), (2, 1, 4), (2, 1, 5))
    # The first of shop 2 is due at 10:10 again, but for the two rows that came.
    assert sessions(stream) == [("10:02", "10:17", 1), ("10:03", "10:18", 1)]
    stream.absorb(until=10)
    assert sessions(stream) == [("10:02", "10:17", 1), ("10:03", "10:20", 3)]
    stream.restart()
    stream.absorb((1, 1, 2), until=10)
    assert sessions(stream) == [("10:02", "10:18", 3), ("10:03", "10:20", 3)]
    stream.stream.end()
    assert verify(spark, stream.plan, stream.stream.home).is_proven


BARE = """
CREATE TABLE counts (shop INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), n INT,
    PRIMARY KEY (shop, window_start, n) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${{DATA}}/counts', 'format' = 'json');
INSERT INTO counts {hint} SELECT shop, window_start, window_end, {value}
FROM TABLE(SESSION(TABLE events PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '15' MINUTE)) {more};"""
GROUPED = {"value": "MAX(user_id)", "more": "GROUP BY shop, window_start, window_end"}


@pytest.mark.thorough
def test_rows_that_change_nothing_count_for_a_session(spark, tmp_path: Path) -> None:
    """They were news once, and are not for the next version."""
    hint = OutputOptions(first_result=-15 * MINUTE, update_rate=Rows(3)).hint()
    stream = Scripted(spark, tmp_path, BARE.format(hint=hint, **GROUPED))
    stream.absorb((1, 5, 2))
    stream.absorb((1, 1, 2), (1, 1, 2), (1, 1, 2))
    assert sessions(stream) == [("10:02", "10:17", 5)]
    stream.absorb((1, 9, 2))
    assert sessions(stream) == [("10:02", "10:17", 5)]
    stream.absorb((1, 1, 2), (1, 1, 2))
    assert sessions(stream) == [("10:02", "10:17", 9)]
    stream.stream.end()
    assert verify(spark, stream.plan, stream.stream.home).is_proven


def test_the_rows_of_a_session_count(spark, tmp_path: Path) -> None:
    """Each row is one of the result, and shows what its session is."""
    hint = OutputOptions(first_result=-15 * MINUTE, update_rate=Rows(2)).hint()
    stream = Scripted(spark, tmp_path, BARE.format(hint=hint, value="user_id", more="WHERE shop > 0"))
    stream.absorb((1, 1, 1), (1, 2, 2))
    stream.absorb((1, 3, 2))
    assert sessions(stream) == [("10:01", "10:17", 1), ("10:01", "10:17", 2)]
    stream.restart()
    stream.absorb((1, 4, 2))
    assert sessions(stream) == [("10:01", "10:17", n) for n in (1, 2, 3, 4)]
    stream.stream.end()
    assert verify(spark, stream.plan, stream.stream.home).is_proven


def sessions(stream: Scripted) -> list[tuple[str, str, int]]:
    return sorted((row["window_start"][11:16], row["window_end"][11:16], row["n"]) for row in stream.rows())


def test_processing_time(spark, tmp_path: Path) -> None:
    """The clock alone moves it: a first result, an update without rows, the complete one."""
    sums = SUMS.replace("n INT)", "n INT, PRIMARY KEY (window_start) NOT ENFORCED)")
    hint = OutputOptions(first_result=-40_000, update_rate=20_000).hint()
    insert = f"INSERT INTO sums {hint} {QUERIES['TVF'].format(window=TUMBLE)};"
    live = Live(spark, tmp_path, plan_of(tmp_path, EVENTS.format(proctime="PROCTIME"), sums, insert))
    live.absorb(MORNING, 1, 2)
    assert live.rows() == []
    live.pass_time(MORNING + 19_000)
    assert live.rows() == []
    live.pass_time(MORNING + 20_000)
    live.pass_time(MORNING + 21_000)
    live.absorb(MORNING + 25_000, 4)
    assert live.rows() == [[clock(MORNING), 3]]
    live.pass_time(MORNING + 41_000)
    assert live.rows() == [[clock(MORNING), 7]]
    live.pass_time(MORNING + MINUTE)
    states = [one.state for entry in live.stream.entries for one in entry.published]
    assert states == [EARLY, EARLY, COMPLETE]
    assert verify(spark, live.plan, live.stream.home).is_proven
