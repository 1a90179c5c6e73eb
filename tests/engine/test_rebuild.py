"""A changed report is computed beside the one that counts, and takes its place: what its tables have is then what they
would have if it had been there from the beginning."""

from __future__ import annotations

import random
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import ChangedReportError, FencedError, InputError, NrtError
from airflow_nrt.engine.faults import REBUILDING, TAKING_OVER
from airflow_nrt.engine.rebuild import change_of
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.generations import later_generations
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Lease, Left, Restate
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.log import EntryTaken
from airflow_nrt.home.next_generation import begin_next, former_of, formers_of, next_generation
from airflow_nrt.home.notes.samples import day_of, read_samples, sampled_files
from airflow_nrt.home.skipped import ask
from airflow_nrt.home.status import read_status
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_of_home
from airflow_nrt.usecases.forget import forget
from airflow_nrt.usecases.requests.forget import ForgetRequest
from tests.engine.fault_points import watch_points
from tests.engine.rebuilds import Died, rebuild, run
from tests.engine.reports import (
    FEW,
    HOUR,
    MINUTE,
    Event,
    arriving,
    curve_insert,
    cut,
    events_table,
    plan_of,
    random_events,
    rows_of,
    write_events,
    write_lines,
)

FILES = TAKING_OVER["filesystem"]
LIVE = {"source__monitor_interval": "50 ms", "source__max_batch_size": "1 b"}
CUMULATED = "CUMULATE(INTERVAL '15' MINUTES, INTERVAL '2' HOURS)"
TUMBLING = "TUMBLE(INTERVAL '1' HOUR)"
CHANGES: dict[str, Callable[[str], str]] = {
    "a filter": lambda insert: insert.replace("GROUP BY", "WHERE shop < 3 AND price > 20 GROUP BY"),
    "an aggregate": lambda insert: insert.replace("COUNT(*)", "COUNT(item)"),
    "a key": lambda insert: insert.replace("SELECT shop,", "SELECT user_id,").replace("BY shop", "BY user_id"),
    "longer windows": lambda insert: insert.replace("'15' MINUTES", "'30' MINUTES").replace("'1' HOUR", "'2' HOURS"),
    "the watermark": lambda insert: insert.replace("'5' MINUTES", "'25' MINUTES"),
}


def report(place: Path, window: str = CUMULATED, change: Callable[[str], str] = str, **given: str) -> Plan:
    return plan_of(place, change(events_table(**LIVE) + curve_insert(window, FEW, **given)))


def arrive(place: Path, batches: list[list[Event]], first: int = 0) -> None:
    for n, batch in enumerate(batches, first):
        write_events(place / "events" / f"{n:03d}.csv", batch)


def names(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*.parquet")}


def right(spark: SparkSession, place: Path, batches: list[list[Event]], plan: Callable[[Path], Plan]) -> Path:
    """The table of the changed report in a home of its own."""
    arrive(place, batches)
    assert run(spark, plan(place), place / "home") == "finished"
    return place / "curve"


EVENTS = arriving(random_events(7, 90, 5 * HOUR), 7, 20 * MINUTE, late=0.2, lateness=3 * HOUR)
BATCHES = cut(EVENTS, 7, 3)
FILTER = CHANGES["a filter"]


OFTEN = ("a key", "longer windows")
"""The changes that each run of the suite tries."""


@pytest.mark.parametrize(
    "change", [one if one in OFTEN else pytest.param(one, marks=pytest.mark.thorough) for one in CHANGES]
)
def test_tables_are_those_of_a_home_of_the_changed_report(spark: SparkSession, tmp_path: Path, change: str) -> None:
    window = random.Random(change).choice([CUMULATED, TUMBLING])
    place = tmp_path / "changed"
    arrive(place, BATCHES[:2])
    assert run(spark, report(place, window), place / "home") == "finished"
    before = rows_of(place / "curve")
    arrive(place, BATCHES[2:], 2)
    plan = report(place, window, CHANGES[change])
    with pytest.raises(ChangedReportError):
        Home.create(place / "home", plan, plan_of_home)
    assert rebuild(spark, plan, place / "home") == "finished"
    fresh = right(spark, tmp_path / "fresh", BATCHES, lambda at: report(at, window, CHANGES[change]))
    home = Home.create(place / "home", plan, plan_of_home)
    assert home.generation == 2 and read_status(home).generation == 2
    assert home.log().position().late > 0
    verdict = verify(spark, plan, home, Interval())
    assert verdict.is_proven and sum(one.windows for one in verdict.inserts) > 3
    assert rows_of(place / "curve") == rows_of(fresh) != before
    assert names(place / "curve") == names(fresh)
    assert read_samples(sampled_files(home, "curve", day_of(EVENTS[0].at)))
    arrive(place, [[Event(999, 1, 1, "a", None, None, EVENTS[-1].at + 4 * HOUR)]], 9)
    assert run(spark, plan, place / "home") == "finished"
    assert verify(spark, plan, Home.open(place / "home"), Interval()).is_proven


@pytest.fixture
def changed(spark: SparkSession, tmp_path: Path) -> Path:
    """A home whose report has changed, with files that nobody has read."""
    arrive(tmp_path, BATCHES[:2])
    assert run(spark, report(tmp_path), tmp_path / "home") == "finished"
    arrive(tmp_path, BATCHES[2:], 2)
    return tmp_path


@pytest.mark.parametrize(
    "point, times",
    [
        *(pytest.param(point, 1, marks=pytest.mark.thorough) for point in (REBUILDING[0], *FILES[1:])),
        *((point, 1) for point in REBUILDING[1:]),
        (FILES[0], 2),
    ],
)
def test_a_driver_dies(
    spark: SparkSession, changed: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch,
    point: str, times: int,
) -> None:  # fmt: skip
    """The next one goes on."""
    place, plan, reached = changed, report(changed, change=FILTER), Counter[str]()

    def die(name: str) -> None:
        reached[name] += 1
        if reached[point] >= times:
            # Both drivers are of one process.
            raise Died

    with monkeypatch.context() as patch:
        watch_points(patch, die)
        with pytest.raises(Died):
            rebuild(spark, plan, place / "home")
    is_decided = Home.open(place / "home").generation == 2
    assert is_decided == (point not in REBUILDING[:2])
    if not is_decided:
        assert verify(spark, report(place), Home.open(place / "home"), Interval()).is_proven
    following = run if is_decided else rebuild
    assert following(spark, plan, place / "home") == "finished"
    fresh = right(spark, tmp_path_factory.mktemp("fresh"), BATCHES, lambda at: report(at, change=FILTER))
    assert rows_of(place / "curve") == rows_of(fresh) and names(place / "curve") == names(fresh)
    assert verify(spark, plan, Home.open(place / "home"), Interval()).is_proven


def test_readers_see_each_window_whole_at_any_time(spark: SparkSession, changed: Path) -> None:
    """Those of windows that both reports have, of one or the other."""
    place, plan = changed, report(changed, change=FILTER)
    over, seen = threading.Event(), defaultdict[str, set[Any]](set)
    first = names(place / "curve")
    lacking: list[str] = []

    def poll() -> None:
        while not over.is_set():
            for name in first:
                try:
                    seen[name].add((place / "curve" / name).read_bytes())
                except FileNotFoundError:
                    lacking.append(name)
            time.sleep(0.01)

    reader = threading.Thread(target=poll)
    reader.start()
    try:
        assert rebuild(spark, plan, place / "home") == "finished"
    finally:
        over.set()
        reader.join()
    gone = first - names(place / "curve")
    assert set(lacking) <= gone and len(first - gone) > 3
    assert all(len(contents) <= 2 for contents in seen.values())
    assert all((place / "curve" / name).read_bytes() in seen[name] for name in first - gone)


def test_what_the_generation_before_does_late_is_refused(spark: SparkSession, changed: Path) -> None:
    place, plan = changed, report(changed, change=FILTER)
    before = Home.open(place / "home")
    log = before.log()
    assert rebuild(spark, plan, place / "home") == "finished"
    assert isinstance(before.log().read(before.log().last).body, Left)
    with pytest.raises(FencedError, match="its generation 2 counts since log entry"):
        for _ in range(9):
            with suppress(EntryTaken):
                log.append(Restate((), (), "backfill", {}, 0), None)
    with pytest.raises(FencedError, match="its generation 2 counts since"):
        Writer.begin(before.log(), Lease("here", 0, "test"))
    former = former_of(Home.open(place / "home"))
    assert former is not None and former.generation == 1 and former_of(before) is None


def test_a_report_that_changes_again_gives_up_what_was_computed(spark: SparkSession, changed: Path) -> None:
    place = changed
    begin_next(Home.open(place / "home"), report(place, change=FILTER), plan_of_home)
    plan = report(place, change=CHANGES["a key"])
    assert rebuild(spark, plan, place / "home") == "finished"
    home = Home.open(place / "home")
    assert home.generation == 3 and later_generations(home.base) == [2, 3]
    assert verify(spark, plan, home, Interval()).is_proven
    assert rebuild(spark, report(place), place / "home") == "finished"
    assert Home.open(place / "home").generation == 4
    assert verify(spark, report(place), Home.open(place / "home"), Interval()).is_proven


def test_a_table_to_which_a_report_comes_back(spark: SparkSession, changed: Path) -> None:
    """It has what it got from an earlier generation."""
    place = changed
    elsewhere = report(place, path="${DATA}/elsewhere")
    assert rebuild(spark, elsewhere, place / "home") == "finished"
    assert rebuild(spark, report(place, change=FILTER), place / "home") == "finished"
    home = Home.open(place / "home")
    assert home.generation == 3 and [one.generation for one in formers_of(home)] == [2, 1]
    assert verify(spark, report(place, change=FILTER), home, Interval()).is_proven
    assert names(place / "elsewhere") > names(place / "curve")


def skip(spark: SparkSession, home: Home, file: Path, line: int) -> None:
    source = plan_of_home(home).source("events")
    ask(home, "events", [source_of(source.table).row_at(spark, source, f"{file}@{line}")])


def test_rows_that_are_left_out_stay_out(spark: SparkSession, tmp_path: Path) -> None:
    """Also those that a person names while the report is computed."""
    lines = [event.line for event in EVENTS[:20]]
    torn = write_lines(tmp_path / "events" / "000.csv", [*lines, "torn"])
    home = Home.create(tmp_path / "home", report(tmp_path))
    skip(spark, home, torn, len(lines) + 1)
    assert run(spark, report(tmp_path), tmp_path / "home") == "finished"
    begin_next(home, report(tmp_path, change=FILTER), plan_of_home)
    arrive(tmp_path, [EVENTS[20:]], 1)
    too = write_lines(tmp_path / "events" / "002.csv", ["torn, too"])
    skip(spark, home, too, 1)
    assert rebuild(spark, report(tmp_path, change=FILTER), tmp_path / "home") == "finished"
    home = Home.open(tmp_path / "home")
    commits = [entry.body for entry in home.log().audit() if isinstance(entry.body, Commit)]
    assert home.generation == 2 and sum((Counter(one.rejected) for one in commits), Counter()) == {"skipped": 2}


def test_a_table_of_another_home_is_refused_before_the_report_takes_over(spark: SparkSession, changed: Path) -> None:
    place = changed
    owner = plan_of(place, events_table(**LIVE) + curve_insert(TUMBLING, FEW, path="${DATA}/elsewhere"), name="owner")
    assert run(spark, owner, place / "owner") == "finished"
    before = names(place / "elsewhere")
    with pytest.raises(InputError, match="another home publishes to"):
        rebuild(spark, report(place, path="${DATA}/elsewhere"), place / "home")
    home = Home.open(place / "home")
    found = read_status(home).rebuilding
    assert home.generation == 1 and found is not None and "another home publishes to" in str(found)
    assert names(place / "elsewhere") == before
    assert rebuild(spark, report(place, path="${DATA}/free"), place / "home") == "finished"
    assert names(place / "free") == names(place / "curve")


def test_a_report_that_is_put_back_gives_up_what_was_computed(spark: SparkSession, changed: Path) -> None:
    begin_next(Home.open(changed / "home"), report(changed, change=FILTER), plan_of_home)
    assert run(spark, report(changed), changed / "home") == "finished"
    assert next_generation(Home.open(changed / "home")) is None


def test_the_report_that_counts_goes_on_where_the_changed_one_fails(
    spark: SparkSession, changed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = changed
    plan = report(place, change=lambda text: text.replace("COUNT(*)", "SUM(CAST(item AS BIGINT))"))
    with pytest.raises(NrtError, match="CAST"):
        rebuild(spark, plan, place / "home")
    home = Home.open(place / "home")
    assert home.generation == 1 and verify(spark, report(place), home, Interval()).is_proven
    assert "generation 2 of report is not computed any more" in caplog.text
    found = read_status(home).rebuilding
    assert found is not None and found.driver == "failed" and "CAST" in str(found)


def test_a_backfill_that_comes_before_the_entry_that_decides_is_published_first(
    spark: SparkSession, changed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, plan, met = changed, report(changed, change=FILTER), list[int]()

    def meet(name: str) -> None:
        if name == "rebuild-caught-up":
            met.append(len(met))
            if len(met) == 1:
                log = Home.at(place / "home").log()
                log.append(Restate((), (), "backfill", {}, log.last), None)

    watch_points(monkeypatch, meet)
    assert rebuild(spark, plan, place / "home") == "finished"
    home = Home.open(place / "home")
    assert len(met) == 2 and home.generation == 2
    former = former_of(home)
    assert former is not None and read_status(former).restatements == 1


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda text: text.replace("curve", "another"), "insert into curve is gone: keep it, with its table"),
        (FILTER, "table other: what connector 'print' has taken can't be replaced: give it another name"),
    ],
)
def test_changes_that_are_refused(spark: SparkSession, tmp_path: Path, change: Callable[[str], str], said: str) -> None:
    """Before anything is written."""
    arrive(tmp_path, BATCHES)
    printed = curve_insert(TUMBLING, FEW, "other").replace("'filesystem'", "'print'")
    printed = re.sub(r", 'path' = '[^']*', 'format' = '\w+'", "", printed)
    plan = plan_of(tmp_path, events_table(**LIVE) + curve_insert(CUMULATED, FEW) + printed)
    assert run(spark, plan, tmp_path / "home") == "finished"
    changed = plan_of(tmp_path, events_table(**LIVE) + change(curve_insert(CUMULATED, FEW)) + change(printed))
    with pytest.raises(InputError, match=re.escape(said)):
        change_of(Home.open(tmp_path / "home"), changed, plan_of_home)
    assert later_generations(Home.open(tmp_path / "home").base) == []


def test_a_past_that_is_gone_is_refused(spark: SparkSession, changed: Path) -> None:
    (changed / "events" / "000.csv").unlink()
    with pytest.raises(
        InputError, match=r"1 file of events is gone or changed: the past of events can't be read again"
    ):
        change_of(Home.open(changed / "home"), report(changed, change=FILTER), plan_of_home)


def test_a_home_with_generations_is_forgotten_whole(spark: SparkSession, changed: Path) -> None:
    assert rebuild(spark, report(changed, change=FILTER), changed / "home") == "finished"
    request = ForgetRequest(str(changed / "home"), is_meant=True)
    assert forget(request, lambda text: None).is_removed
    assert not (changed / "home").exists() and not (changed / "curve" / ".nrt-owner").exists()
