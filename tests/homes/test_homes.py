"""Homes that earlier code has written: they open, go on, publish what was decided, and are verified."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import HomeError
from airflow_nrt.engine.verify.interval import EVERYTHING, Interval
from airflow_nrt.engine.verify.verify import unprovable, verify
from airflow_nrt.home.heartbeat import RUNNING
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.chapters import chapter_of
from airflow_nrt.home.log.fold.checkpoints import check_checkpoint, read_by, state_of
from airflow_nrt.home.log.fold.inputs import inputs_of
from airflow_nrt.home.log.fold.settled import settled_until
from airflow_nrt.home.log.history.history_of_log import history_of
from airflow_nrt.home.log.past.past import check_past, past_entries, past_results
from airflow_nrt.home.replaced.versions import versions_of
from airflow_nrt.home.status import read_status
from airflow_nrt.home.visible import is_waiting
from airflow_nrt.table.reports.load import plan_of_home
from tests.homes.archives import DATA, names, unpack
from tests.homes.scene import Scene
from tests.homes.scenes import SCENES, SERVERLESS


@pytest.mark.parametrize("name", names())
def test_it_goes_on_and_is_verified(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """In the end its tables have the rows that a stream which nothing interrupted published when it was written."""
    scene = Scene.of_kept(spark, unpack(name, tmp_path))
    expected = json.loads((tmp_path / "expected.json").read_text())
    assert all(expected.values()) and scene.rows() != expected
    before = scene.home.log().last
    scene.finish(polled=name not in SERVERLESS)
    assert scene.rows() == expected
    assert scene.home.log().last > before + 1
    assert not any(scene.home.staged.local.iterdir())
    if name in ("from_archive", "since", "with_past"):
        # A verification asks the broker whether it still has the ranges, also those that came from the archive.
        return
    if name in SERVERLESS:
        # Its server would be asked what no driver has read yet.
        monkeypatch.setattr("airflow_nrt.engine.verify.unread.not_read", lambda *given: [])
    # Of windows that end up to then, entries are removed.
    after = max(unprovable(scene.plan, history_of(scene.home.log(), scene.plan), EVERYTHING).values(), default=None)
    verdict = verify(spark, scene.plan, scene.home, Interval(after, None))
    assert verdict.is_proven and not verdict.problems, verdict
    assert verdict.equal > 0 or not any(one.operators for one in scene.plan.inserts)


@pytest.mark.parametrize("name", names())
def test_its_report_is_the_same(tmp_path: Path, name: str) -> None:
    """By its fingerprint, and planned again from what the home keeps."""
    scene = Scene.of_kept(None, unpack(name, tmp_path))  # type: ignore[arg-type]
    assert scene.home.additions(scene.plan) == {}
    assert [one.name for one in plan_of_home(scene.home).inserts] == [one.name for one in scene.plan.inserts]


@pytest.mark.parametrize("name", names())
def test_its_status(tmp_path: Path, name: str) -> None:
    home = Home.open(unpack(name, tmp_path) / "home")
    status = read_status(home)
    assert status.report == "report" and status.epoch > 0 and status.entry == home.log().last
    assert status.rows > 0 and status.files > 0 and status.changed_files == []
    assert json.dumps(status.to_json())


def test_each_scene_has_its_home() -> None:
    assert names() == sorted(SCENES) and sum(file.stat().st_size for file in DATA.iterdir()) < 1_000_000


# ---------------------------------------------------------------------------------------------------- as they were left


def left(name: str, place: Path) -> Home:
    return Home.open(unpack(name, place) / "home")


def test_a_checkpoint_agrees_with_its_log(tmp_path: Path) -> None:
    log = left("checkpoints", tmp_path).log()
    entry = check_checkpoint(log)
    assert entry is not None and 4 <= entry < log.last
    read, all_read = read_by(log), inputs_of(log.audit())
    assert set(read.of("orders")) == set(all_read.of("orders")) and read.archived == all_read.archived != {}
    assert settled_until(log) == log.last


def test_old_entries_are_removed(tmp_path: Path) -> None:
    home = left("floor", tmp_path)
    log = home.log()
    assert 4 <= log.first < log.last and log.floor is not None
    beginning = log.beginning()
    assert beginning.state.entry == log.first - 1 and beginning.lease is not None and beginning.results
    (read,) = read_by(log).sources.values()
    assert {Path(file.path).exists() for file in read.files} == {True} and len({*read.files}) == 14
    assert check_checkpoint(log) is not None
    check_past(log)
    assert read_status(home).first_entry == log.first
    assert next(past_entries(log)).n == log.first and [*(home.path / "checkpoints").glob("*.past.gz")]
    floor = home.log_directory / "floor.json"
    floor.replace(floor.read().replace(b'"crc":', b'"crc":1'))
    with pytest.raises(HomeError, match="can't be read: it is not what was written there"):
        home.log().beginning()


def test_a_closed_directory_is_no_error(spark: SparkSession, tmp_path: Path) -> None:
    scene = Scene.of_kept(spark, unpack("closed", tmp_path))
    assert read_status(scene.home).closed_files == {"events": 1}
    scene.finish()
    verdict = verify(spark, scene.plan, scene.home)
    assert verdict.is_proven and verdict.unread_files == 0
    assert any("came into directories after they were closed" in note for note in verdict.notes)


def test_a_driver_was_killed_between_append_and_publishing(tmp_path: Path) -> None:
    home = left("windows", tmp_path)
    last = home.log().read(home.log().last)
    assert last.published and is_waiting(home, last)
    # One row is late for all but its session; a line and a file are rejected.
    status = read_status(home)
    assert (status.late, status.dropped, status.rejected) == (3, 2, 2)


def test_fields_that_are_null_are_counted_apart(tmp_path: Path) -> None:
    status = read_status(left("null_fields", tmp_path))
    assert (status.rejected, status.null_fields) == (1, 2)


def test_an_older_home_counted_them_as_rejected(tmp_path: Path) -> None:
    status = read_status(left("policies", tmp_path))
    assert (status.rejected, status.null_fields) == (2, 0)


def test_results_are_owed(tmp_path: Path) -> None:
    home = left("owed", tmp_path)
    status = read_status(home)
    beat = status.heartbeat
    assert [one.table for one in status.waiting] == ["away"] and status.windows < status.decided_windows
    assert beat is not None and (beat.state, list(beat.owed)) == (RUNNING, ["away"])
    owed = [entry for entry in home.log().audit() if is_waiting(home, entry)]
    assert len(owed) == 2 and owed[0].n == beat.owed["away"]


def test_a_window_was_set(tmp_path: Path) -> None:
    home = left("undone", tmp_path)
    (pin,) = state_of(home.log()).pins
    assert (pin.insert, str(pin.by), pin.reason) == ("curve", "anna (airflow-nrt undo)", "it was right")
    versions = versions_of(home, past_results(home.log()))
    assert [one.why for one in versions["curve", pin.end]] == ["first result", "repair", "undo"]
    unpinned = versions["curve", pin.end - 600_000]
    assert [one.why for one in unpinned] == ["first result", "repair", "undo", "backfill"]
    assert all(one.kept is not None for some in versions.values() for one in some[:-1])


def test_windows_were_restated(tmp_path: Path) -> None:
    assert read_status(left("restated", tmp_path)).restatements == 3


def test_old_entries_are_in_a_chapter(tmp_path: Path) -> None:
    home = left("lookups", tmp_path)
    assert chapter_of(home.log_directory, 0).exists() and not (home.log_directory.local / "0.json").exists()
