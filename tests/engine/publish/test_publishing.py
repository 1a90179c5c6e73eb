"""What an entry of the log decided is published in the end, and nothing that a later entry decided is undone."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.publish.publishing import publish_entry
from airflow_nrt.engine.publish.recovery import publish_abandoned, roll_forward
from airflow_nrt.engine.replaced.appending import append_restatement
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Position, Published, Restate, Tick
from airflow_nrt.home.log.fold.settled import note_settled
from airflow_nrt.model.plan import Insert
from airflow_nrt.sql.load import load_report
from tests.engine.no_spark import NO_SPARK
from tests.engine.oracle import Windowing
from tests.engine.reports import FEW, HOUR, MINUTE, MORNING, Stream, curve_insert, events_table, plan_of, random_events
from tests.home.logs import log_at
from tests.launch.homes import REPORT, lease

TUMBLE = Windowing("TUMBLE", 30 * MINUTE, 30 * MINUTE)
VERSIONS = (("complete", "a"), ("late", "a"), ("complete", "b"))


def test_a_removal_survives_a_crash_and_undoes_nothing_later(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), curve_insert(TUMBLE.sql, FEW))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, [random_events(1, 40, 2 * HOUR)])
    first = min((one for entry in stream.entries for one in entry.published), key=lambda one: one.end or 0)
    file = tmp_path / "curve" / first.target
    assert file.exists()
    log = stream.home.log()
    append_restatement(log, Restate((), (f"curve/{first.target}",), "backfill", {}, log.last))
    Stream(spark, plan, tmp_path / "home")
    assert not file.exists()
    backfill(spark, plan, stream.home, Interval(MORNING, MORNING + 30 * MINUTE), check=False)
    Stream(spark, plan, tmp_path / "home")
    assert file.exists()


def test_a_restatement_undoes_nothing_that_the_stream_published_meanwhile(tmp_path: Path) -> None:
    """It was computed from the log up to entry 0, and the stream has gone on since."""
    log = log_at(tmp_path)
    old, new, other = (Published("curve", 0, 1, state, 1, state, state, target) for state, target in VERSIONS)
    log.append(Tick((old,), 0, Position()), 1)
    log.append(Tick((new,), 0, Position(), ("curve/c",)), 1)
    restated = replace(old, state="restated")
    entry = append_restatement(log, Restate((restated, other), ("curve/c", "curve/d"), "backfill", {}, 0))
    assert isinstance(entry.body, Restate)
    assert (entry.published, entry.removed) == ((other,), ("curve/d",))
    later = append_restatement(log, Restate((restated,), (), "backfill", {}, 1))
    assert later.published == (restated,)


@pytest.fixture
def curve(tmp_path: Path) -> Curve:
    return Curve(tmp_path)


class Curve:
    """Entries of the report `orders_curve` whose files are texts: `{place: text}` decides about whole windows."""

    def __init__(self, place: Path) -> None:
        self.plan = load_report(REPORT, {"DATA": str(place)})
        self.home = Home.create(place / "home", self.plan)
        self.sink = place / "orders_curve"
        self.writer = lease(self.home)

    def restate(self, texts: dict[str, str], removed: tuple[str, ...] = ()) -> Entry:
        body = Restate(self._staged(texts), removed, "backfill", {}, self.home.log().last)
        return append_restatement(self.home.log(), body)

    def fire(self, texts: dict[str, str], removed: tuple[str, ...] = ()) -> Entry:
        return self.writer.append(Tick(self._staged(texts), 0, Position(), removed))

    def publish(self, entry: Entry, then: Callable[[Published], None] = lambda published: None) -> None:
        publish_entry(NO_SPARK, self.home, self.plan, entry, then)

    def roll_forward(self) -> None:
        roll_forward(NO_SPARK, self.home, self.plan, self.home.log())

    @property
    def visible(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.sink.glob("*")}

    def _staged(self, texts: dict[str, str]) -> tuple[Published, ...]:
        directory = self.home.staged.local / f"restate-{uuid.uuid4().hex}"
        directory.mkdir()
        for place, text in texts.items():
            (directory / place).write_text(text)
        found = [(place, str((directory / place).relative_to(self.home.path))) for place in texts]
        return tuple(Published("orders_curve", 0, 1, "restated", 1, "", staged, place) for place, staged in found)


def test_rolling_forward_leaves_what_a_later_entry_published(curve: Curve) -> None:
    curve.restate({"a": "old", "b": "restated", "c": "old"})
    curve.publish(curve.fire({"a": "new"}, ("orders_curve/c",)))
    curve.fire({"d": "fired"})
    curve.roll_forward()
    assert curve.visible == {"a": "new", "b": "restated", "d": "fired"}
    assert list(curve.home.staged.local.iterdir()) == []


def test_of_two_entries_that_wait_the_later_one_stands(curve: Curve) -> None:
    curve.restate({"a": "old"})
    curve.fire({"a": "new"})
    curve.roll_forward()
    assert curve.visible == {"a": "new"}


def test_what_waits_is_published_in_the_order_of_the_log(curve: Curve) -> None:
    entries = [curve.fire({place: "fired"}).n for place in "abc"]
    published: list[int] = []

    def attempt(insert: Insert, entry: Entry, publish: Callable[[], object]) -> bool:
        published.append(entry.n)
        publish()
        return True

    roll_forward(NO_SPARK, curve.home, curve.plan, curve.home.log(), attempt=attempt)
    assert published == entries


def test_what_is_settled_is_not_done_again(curve: Curve) -> None:
    """A removal of an entry before the mark is not repeated, one after it is."""
    curve.publish(curve.fire({"a": "fired", "b": "fired"}))
    curve.publish(curve.restate({}, ("orders_curve/a",)))
    note_settled(curve.home.log())
    (curve.sink / "a").write_text("put back by hand")
    curve.restate({}, ("orders_curve/b",))
    curve.roll_forward()
    assert curve.visible == {"a": "put back by hand"}


def test_a_restatement_that_is_slow_leaves_what_the_stream_publishes_meanwhile(curve: Curve) -> None:
    entry = curve.restate({"a": "restated", "b": "old", "c": "old"}, ("orders_curve/d",))

    def meanwhile(published: Published) -> None:
        assert published.target == "a"
        curve.publish(curve.fire({"b": "new", "d": "new"}, ("orders_curve/c",)))

    curve.publish(entry, meanwhile)
    assert curve.visible == {"a": "restated", "b": "new", "d": "new"}


def test_a_driver_publishes_what_a_backfill_has_left_for_long(curve: Curve, monkeypatch: pytest.MonkeyPatch) -> None:
    curve.restate({"a": "restated", "b": "old"})
    curve.publish(curve.fire({"b": "new"}))
    curve.writer.check()
    publish_abandoned(NO_SPARK, curve.home, curve.plan, curve.writer.foreign_entries)
    assert curve.visible == {"b": "new"}, "it may be at work"
    monkeypatch.setattr("airflow_nrt.engine.publish.recovery.ABANDONED_MS", -1000)
    publish_abandoned(NO_SPARK, curve.home, curve.plan, curve.writer.foreign_entries)
    assert curve.visible == {"a": "restated", "b": "new"}
    assert curve.writer.foreign_entries == [] and list(curve.home.staged.local.iterdir()) == []


def test_a_driver_removes_what_a_backfill_has_left_for_long(curve: Curve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The backfill died after it had published, before it removed."""
    curve.publish(curve.fire({"a": "fired", "b": "fired"}))
    curve.restate({}, ("orders_curve/a",))
    curve.writer.check()
    monkeypatch.setattr("airflow_nrt.engine.publish.recovery.ABANDONED_MS", -1000)
    assert publish_abandoned(NO_SPARK, curve.home, curve.plan, curve.writer.foreign_entries)
    assert curve.visible == {"b": "fired"}


def test_what_can_t_be_published_does_not_stop_the_driver(
    curve: Curve, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    entry = curve.restate({"a": "restated"})
    curve.sink.write_text("a file where the directory should be")
    curve.writer.check()
    monkeypatch.setattr("airflow_nrt.engine.publish.recovery.ABANDONED_MS", -1000)
    assert not publish_abandoned(NO_SPARK, curve.home, curve.plan, curve.writer.foreign_entries)
    assert f"entry {entry.n} can't be published" in caplog.text
    assert list(curve.home.staged.local.iterdir()) != []
