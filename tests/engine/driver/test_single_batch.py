"""A bounded source that comes in one batch: the windows of a stream, and no state on the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.spark.tuning import Tasks, Tuning
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Commit, Tick
from airflow_nrt.model.plan import Plan
from tests.engine.fault_points import watch_points
from tests.engine.oracle import Windowing, count_in
from tests.engine.reports import (
    AGGREGATES,
    FEW,
    HOUR,
    MINUTE,
    curve_insert,
    events_table,
    plan_of,
    random_events,
    rows_of,
    write_events,
    write_lines,
)

EVENTS = random_events(11, 300, 5 * HOUR)
CUMULATE = Windowing("CUMULATE", HOUR, 10 * MINUTE)
WINDOWINGS = (Windowing("TUMBLE", 30 * MINUTE, 30 * MINUTE), Windowing("HOP", HOUR, 20 * MINUTE, MINUTE), CUMULATE)


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """These few rows are as many as would not go through one task."""
    monkeypatch.setattr(Tuning, "tune_for", lambda tuning, files: setattr(tuning, "tasks", Tasks(2)))


def bounded(place: Path, *inserts: str, **options: str) -> tuple[Plan, Home]:
    plan = plan_of(place, events_table(**options), *inserts)
    return plan, Home.create(place / "home", plan)


def run(spark, plan: Plan, home: Home) -> str:
    return Runner(spark, plan, home).run()


def kinds(home: Home) -> list[str]:
    return [entry.kind for entry in home.log().audit()]


@pytest.mark.usefixtures("several_tasks")
@pytest.mark.parametrize("windowing", WINDOWINGS, ids=str)
def test_the_windows_are_those_of_the_rows(spark, tmp_path: Path, windowing: Windowing) -> None:
    plan, home = bounded(tmp_path, curve_insert(windowing.sql, AGGREGATES))
    for n in range(3):
        write_events(tmp_path / "events" / f"{n}.csv", EVENTS[n::3])
    assert run(spark, plan, home) == "finished"
    expected = count_in(windowing, [EVENTS], AGGREGATES)
    assert rows_of(tmp_path / "curve") == expected
    assert kinds(home) == ["lease", "commit"]
    assert not list(home.state.local.glob("*/*")) and not list(home.staged.local.iterdir())
    position = home.log().position()
    assert (position.sources["events"].rows, position.sources["events"].files) == (300, 3)
    assert position.windows == len({row[2] for row in expected})
    (operator,) = position.operators.values()
    assert operator.watermark == END_OF_TIME and operator.fired is not None
    assert verify(spark, plan, home).is_proven


def test_what_comes_later_is_late(spark, tmp_path: Path) -> None:
    plan, home = bounded(tmp_path, curve_insert(CUMULATE.sql, FEW))
    write_events(tmp_path / "events" / "0.csv", EVENTS)
    assert run(spark, plan, home) == "finished"
    write_events(tmp_path / "events" / "1.csv", EVENTS[:5])
    assert run(spark, plan, home) == "finished"
    assert rows_of(tmp_path / "curve") == count_in(CUMULATE, [EVENTS], FEW)
    assert home.log().position().dropped == 5
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and verdict.late_rows == 5


def test_lines_that_are_no_rows_are_rejected(spark, tmp_path: Path) -> None:
    plan, home = bounded(
        tmp_path, curve_insert(CUMULATE.sql, FEW), csv__ignore_parse_errors="true", scan__null_rowtime="skip"
    )
    write_lines(tmp_path / "events" / "0.csv", [*(event.line for event in EVENTS), "no row", "1,2"])
    assert run(spark, plan, home) == "finished"
    assert rows_of(tmp_path / "curve") == count_in(CUMULATE, [EVENTS], FEW)
    source = home.log().position().sources["events"]
    assert (source.rows, source.rejected) == (302, 2)
    assert verify(spark, plan, home).is_proven


class Killed(BaseException):
    """Stands for a driver that dies."""


@pytest.mark.parametrize("point", ["absorb-written", "commit-before", "commit-after", "publish-between"])
def test_killed_on_the_way(spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    plan, home = bounded(tmp_path, curve_insert(CUMULATE.sql, FEW))
    write_events(tmp_path / "events" / "0.csv", EVENTS)

    def die(name: str) -> None:
        if name == point:
            raise Killed(name)

    with monkeypatch.context() as patch:
        watch_points(patch, die)
        with pytest.raises(Killed):
            run(spark, plan, home)
    expected = count_in(CUMULATE, [EVENTS], FEW)
    assert set(rows_of(tmp_path / "curve")) <= set(expected)
    assert run(spark, plan, home) == "finished"
    assert rows_of(tmp_path / "curve") == expected
    assert kinds(home) == ["lease", *(["lease", "commit"] if point in BEFORE else ["commit", "lease"])]
    assert not list(home.staged.local.iterdir())
    assert verify(spark, plan, home).is_proven


BEFORE = ("absorb-written", "commit-before")
KEY = "PRIMARY KEY (shop, window_start, window_end) NOT ENFORCED"
DROPS = "SET 'table.exec.sink.not-null-enforcer' = 'drop';\n"
EARLY = DROPS + curve_insert(CUMULATE.sql, FEW, first_result="-10 min").replace(")\nWITH", f", {KEY})\nWITH")


@pytest.mark.parametrize(
    "inserts",
    [
        (curve_insert(CUMULATE.sql, FEW), curve_insert("TUMBLE(INTERVAL '1' HOUR)", FEW, "hours")),
        (curve_insert("SESSION(INTERVAL '10' MINUTE)", FEW),),
        (EARLY,),
    ],
    ids=["several", "sessions", "early"],
)
def test_other_plans_keep_to_the_store(spark, tmp_path: Path, inserts: tuple[str, ...]) -> None:
    plan, home = bounded(tmp_path, *inserts)
    write_events(tmp_path / "events" / "0.csv", EVENTS)
    assert run(spark, plan, home) == "finished"
    firings = [entry for entry in home.log().audit() if isinstance(entry.body, Tick) and entry.published]
    absorbed = [entry for entry in home.log().audit() if isinstance(entry.body, Commit)]
    assert firings and not any(entry.published for entry in absorbed)
    assert verify(spark, plan, home).is_proven
