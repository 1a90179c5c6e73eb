"""Undo: a window gets the rows of an older version again, and neither a stream nor a batch replaces them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant
from airflow_nrt.describe.mismatch import REPAIR
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.publish.recovery import roll_forward
from airflow_nrt.engine.undo import AskedUndo, undo
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.entries import Entry, Published, Restate
from airflow_nrt.home.log.fold.checkpoints import state_of
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.replaced.versions import WindowVersion, versions_of
from airflow_nrt.home.retention.retention import Retention
from airflow_nrt.model.result_timing import OutputOptions
from tests.engine.conftest import Streamed
from tests.engine.fault_points import watch_points
from tests.engine.reports import (
    DAY,
    HOUR,
    MINUTE,
    MORNING,
    Stream,
    events_table,
    plan_of,
    random_events,
    rows_of,
    write_events,
)
from tests.engine.test_backfill import batch_rows, fired
from tests.engine.timed import Scripted, timed_insert

ANNA = Author("anna", "undo")
COUNT = 3
"""Which column of the curve has the number of rows."""


class KilledError(BaseException):
    """A process dies."""


def versions(streamed: Streamed, end: int) -> list[WindowVersion]:
    return versions_of(streamed.home, past_results(streamed.home.log()))["curve", end]


def by_hand(streamed: Streamed, one: Published, n: int) -> int:
    """Somebody corrects a cell of the table; gives the window's end."""
    streamed.rewrite(one, lambda rows: [{**rows[0], "n": n}, *rows[1:]])
    assert one.end is not None
    return one.end


def repair(spark: Any, streamed: Streamed, **more: Any) -> Any:
    return backfill(spark, streamed.plan, streamed.home, span(streamed), True, REPAIR, **more)


def span(streamed: Streamed) -> Interval:
    return Interval(MORNING, fired(streamed))


def undone(spark: Any, streamed: Streamed, end: int, to: int | None = None) -> Entry:
    return undo(spark, streamed.plan, streamed.home, AskedUndo("curve", end, ANNA, to, "the repair was wrong"))


def of_window(streamed: Streamed, end: int) -> list[tuple]:
    (one,) = (one for one in streamed.standing if one.end == end)
    return sorted((tuple(row.values()) for row in _read(streamed.file(one))), key=repr)


def _read(path: Path) -> list[dict[str, Any]]:
    return pq.read_table(path).to_pylist()


# ---------------------------------------------------------------------------------------------------- one window


def test_what_a_repair_has_replaced_comes_back_and_stays(spark, streamed: Streamed) -> None:
    end = by_hand(streamed, streamed.standing[3], 1007)
    corrected = of_window(streamed, end)
    repair(spark, streamed)
    repaired = of_window(streamed, end)
    assert repaired != corrected
    first, second = versions(streamed, end)
    assert (first.why, second.why, second.by) == ("first result", "repair", Author.of_process("backfill"))
    assert "unexplained" in second.cause and first.kept is not None and second.kept is None
    assert first.sums is not None and second.sums is not None
    sums = [sum(row[COUNT] for row in rows) for rows in (corrected, repaired)]
    assert [first.sums.sums["n"], second.sums.sums["n"]] == [*map(str, sums)]

    entry = undone(spark, streamed, end)
    assert of_window(streamed, end) == corrected
    assert [one.end for one in entry.published] == [end] and entry.epoch is None

    verdict = verify(spark, streamed.plan, streamed.home)
    (one,) = verdict.inserts
    assert verdict.is_proven and verdict.pinned == 1 and end not in one.unequal_ends
    assert verdict.windows == len(streamed.standing) - 1
    assert str(one.pinned[0]).endswith(f"set by anna (airflow-nrt undo) on {_today()}: the repair was wrong")
    assert "1 window set by hand" in verdict.text

    # Neither a repair nor a backfill replaces it, and what they say names who has set it.
    by_hand(streamed, streamed.standing[5], 2000)
    assert end not in {one.end for one in repair(spark, streamed).published}
    done = backfill(spark, streamed.plan, streamed.home, span(streamed), False)
    assert len(done.published) == len(streamed.standing) - 1
    assert any("is left as it is, set by anna" in note for note in done.notes)
    assert of_window(streamed, end) == corrected


def _today() -> str:
    return format_instant(now_ms())[:10]


def test_somebody_unpins_it(spark, streamed: Streamed) -> None:
    end = by_hand(streamed, streamed.standing[3], 1007)
    repair(spark, streamed)
    undone(spark, streamed, end)
    done = repair(spark, streamed, unpin=True)
    assert [one.end for one in done.published] == [end] and done.verdict is not None
    assert done.verdict.is_proven and done.verdict.pinned == 0
    assert rows_of(streamed.sink) == batch_rows(streamed, MORNING, fired(streamed))
    assert state_of(streamed.home.log()).pins == ()
    assert [one.why for one in versions(streamed, end)] == ["first result", "repair", "undo", "repair"]


def test_an_undo_of_an_undo_and_a_version_by_its_number(spark, streamed: Streamed) -> None:
    end = by_hand(streamed, streamed.standing[3], 1007)
    corrected = of_window(streamed, end)
    repair(spark, streamed)
    repaired = of_window(streamed, end)
    by_hand(streamed, next(one for one in streamed.standing if one.end == end), 3000)
    again = of_window(streamed, end)
    backfill(spark, streamed.plan, streamed.home, Interval(end - 10 * MINUTE, end), False)
    first, second, _ = versions(streamed, end)
    undone(spark, streamed, end)
    assert of_window(streamed, end) == again
    undone(spark, streamed, end)
    assert of_window(streamed, end) == repaired
    entry = undone(spark, streamed, end, to=first.version)
    assert of_window(streamed, end) == corrected
    (pin,) = state_of(streamed.home.log()).pins
    assert (pin.entry, pin.version, pin.by) == (entry.n, first.version, ANNA)
    with pytest.raises(InputError, match="has no version 4711: `airflow-nrt versions` lists"):
        undone(spark, streamed, end, to=4711)
    assert second.version < entry.n and verify(spark, streamed.plan, streamed.home).is_proven


def test_a_pinned_window_that_somebody_changes_is_unexplained(spark, streamed: Streamed) -> None:
    end = by_hand(streamed, streamed.standing[3], 1007)
    repair(spark, streamed)
    undone(spark, streamed, end)
    by_hand(streamed, next(one for one in streamed.standing if one.end == end), 1008)
    verdict = verify(spark, streamed.plan, streamed.home)
    assert not verdict.is_proven and verdict.pinned == 0
    assert [bad.end for bad in verdict.inserts[0].bad] == [end]
    # It can be set again to what it was set to.
    undone(spark, streamed, end, to=versions(streamed, end)[-1].version)
    assert verify(spark, streamed.plan, streamed.home).pinned == 1


def test_a_stream_goes_on_beside_it(spark, streamed: Streamed) -> None:
    """A late row of the window goes to the ledger, as for any window that is over."""
    stream = Stream(spark, streamed.plan, streamed.home.path)
    end = by_hand(streamed, streamed.standing[3], 1007)
    corrected = of_window(streamed, end)
    repair(spark, streamed)
    undone(spark, streamed, end)
    late = [replace(random_events(6, 1, MINUTE, start=end - 2 * MINUTE)[0], shop=1)]
    more = random_events(6, 60, HOUR, start=MORNING + 4 * HOUR)
    stream.absorb(write_events(streamed.place / "events" / "more.csv", [*late, *more]))
    stream.end()
    verdict = verify(spark, streamed.plan, streamed.home)
    assert verdict.is_proven and verdict.pinned == 1
    assert sum(one.claimed for one in verdict.ledgers) == sum(one.found for one in verdict.ledgers) > 0
    assert of_window(streamed, end) == corrected


# ---------------------------------------------------------------------------------------------------- what is refused


def test_what_is_not_kept_is_refused_by_name(spark, streamed: Streamed) -> None:
    end = streamed.standing[3].end
    assert end is not None
    last = streamed.home.log().last
    with pytest.raises(InputError, match="has no older version"):
        undone(spark, streamed, end)
    with pytest.raises(InputError, match="was never published"):
        undone(spark, streamed, end + MINUTE)
    plan = replace(streamed.plan, settings=(*streamed.plan.settings, ("home.versions.keep", "0 s")))
    backfill(spark, plan, streamed.home, Interval(end - 10 * MINUTE, end), False)
    assert versions(streamed, end)[0].kept is None
    with pytest.raises(InputError, match=f"version {versions(streamed, end)[0].version} are not kept; none is"):
        undone(spark, streamed, end)
    assert streamed.home.log().last == last + 1


def test_a_window_that_the_stream_still_changes(spark, tmp_path: Path) -> None:
    """It is set once it has its last version: no driver publishes it any more."""
    lately = OutputOptions(late_updates=True, last_result=20 * MINUTE)
    stream = Scripted(spark, tmp_path, timed_insert("TUMBLE(INTERVAL '10' MINUTE)", lately))
    stream.absorb((1, 1, 1), (1, 1, 12), until=21)
    home, end = stream.stream.home, MORNING + 10 * HOUR + 10 * MINUTE
    backfill(spark, stream.plan, home, Interval(end - 10 * MINUTE, end), False)
    asked = AskedUndo("counts", end, ANNA)
    words = "can still publish versions of the window that ends at 2024-06-18 10:10:00: none has its last one yet"
    with pytest.raises(InputError, match=words):
        undo(spark, stream.plan, home, asked)
    stream.absorb((1, 2, 3), until=30)
    stream.absorb(until=31)
    first, restated, updated = versions_of(home, past_results(home.log()))["counts", end]
    assert [one.why for one in (first, restated, updated)] == ["first result", "backfill", "late update"]
    with pytest.raises(InputError, match=f"version {restated.version} are not kept; --to {first.version} is"):
        undo(spark, stream.plan, home, asked)
    undo(spark, stream.plan, home, replace(asked, to=first.version))
    verdict = verify(spark, stream.plan, home)
    assert verdict.is_proven and verdict.pinned == 1


PRINTED = "CREATE TABLE curve (shop INT, n BIGINT) WITH ('connector' = 'print');"
FILES = PRINTED.replace("'print'", "'filesystem', 'path' = 'curve', 'format' = 'json'")
REFUSED = {
    "print": (PRINTED, "TUMBLE", "wrote can't be read back"),
    "sessions": (FILES, "SESSION", "where their rows do"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_windows_that_nobody_can_set(spark, tmp_path: Path, name: str) -> None:
    sink, kind, words = REFUSED[name]
    window = f"{kind}(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE)"
    query = f"INSERT INTO curve SELECT shop, COUNT(*) FROM TABLE({window}) GROUP BY shop, window_start, window_end;"
    plan = plan_of(tmp_path, events_table(), f"{sink} {query}")
    home = Home.create(tmp_path / "home", plan)
    with pytest.raises(InputError, match=words):
        undo(spark, plan, home, AskedUndo("curve", MORNING, ANNA))


def test_an_insert_without_windows(spark, tmp_path: Path) -> None:
    plan = plan_of(tmp_path, events_table(), f"{FILES} INSERT INTO curve SELECT shop, user_id FROM events;")
    with pytest.raises(InputError, match="curve has no windows: an undo is of a window"):
        undo(spark, plan, Home.create(tmp_path / "home", plan), AskedUndo("curve", MORNING, ANNA))


# ---------------------------------------------------------------------------------------------------- at once, killed


def at_point(monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[], None]) -> None:
    """Something happens when the engine first reaches this point."""
    left = [act]

    def reach(point: str) -> None:
        if point == name and left:
            left.pop()()

    watch_points(monkeypatch, reach)


def test_of_two_undos_at_once_one_is_refused(spark, streamed: Streamed, monkeypatch) -> None:
    end = by_hand(streamed, streamed.standing[3], 1007)
    corrected = of_window(streamed, end)
    repair(spark, streamed)
    at_point(monkeypatch, "restate-kept", lambda: undone(spark, streamed, end) and None)
    with pytest.raises(InputError, match=r"has changed the window of curve that ends at .* meanwhile"):
        undone(spark, streamed, end)
    assert of_window(streamed, end) == corrected and len(versions(streamed, end)) == 3
    assert streamed.home.staged.names() == []


def test_a_backfill_leaves_what_is_set_meanwhile(spark, streamed: Streamed, monkeypatch) -> None:
    end = by_hand(streamed, streamed.standing[3], 1007)
    corrected = of_window(streamed, end)
    repair(spark, streamed)
    at_point(monkeypatch, "restate-kept", lambda: undone(spark, streamed, end) and None)
    done = backfill(spark, streamed.plan, streamed.home, Interval(end - 10 * MINUTE, end + 10 * MINUTE), False)
    assert [one.end for one in done.published] == [end + 10 * MINUTE]
    assert of_window(streamed, end) == corrected


def test_of_two_backfills_at_once_each_keeps_what_it_replaces(spark, streamed: Streamed, monkeypatch) -> None:
    end = by_hand(streamed, streamed.standing[3], 1007)
    corrected = of_window(streamed, end)
    asked = Interval(end - 10 * MINUTE, end)
    at_point(monkeypatch, "restate-kept", lambda: backfill(spark, streamed.plan, streamed.home, asked, False) and None)
    backfill(spark, streamed.plan, streamed.home, asked, False)
    first, second, _ = versions(streamed, end)
    assert first.kept is not None and second.kept is not None
    undone(spark, streamed, end, to=first.version)
    assert of_window(streamed, end) == corrected
    undone(spark, streamed, end, to=second.version)
    assert of_window(streamed, end) != corrected


@pytest.mark.parametrize("point", ["restate-kept", "restate-appended", "publish-before", "publish-visible"])
def test_it_dies(spark, streamed: Streamed, monkeypatch, point: str) -> None:
    """Between what is kept, the entry, and publishing: it is done or not done, and can be asked for again."""
    end = by_hand(streamed, streamed.standing[3], 1007)
    corrected = of_window(streamed, end)
    repair(spark, streamed)
    last, repaired = streamed.home.log().last, of_window(streamed, end)

    def die() -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        at_point(patched, point, die)
        with pytest.raises(KilledError):
            undone(spark, streamed, end)
    roll_forward(spark, streamed.home, streamed.plan, streamed.home.log(), beside_driver=True)
    is_decided = point != "restate-kept"
    assert streamed.home.log().last == last + is_decided
    assert of_window(streamed, end) == (corrected if is_decided else repaired)
    if not is_decided:
        undone(spark, streamed, end)
        assert of_window(streamed, end) == corrected
    assert verify(spark, streamed.plan, streamed.home).is_proven


# ---------------------------------------------------------------------------------------------------- retention


def test_what_is_kept_goes_when_its_time_has_come(spark, streamed: Streamed) -> None:
    end = by_hand(streamed, streamed.standing[3], 1007)
    repair(spark, streamed)
    undone(spark, streamed, end)
    home = streamed.home
    (home.versions / "17-orphan" / "replaced").make()
    Retention(home, Keep(None, DAY)).step(home.log())
    assert versions(streamed, end)[0].kept is not None and "17-orphan" not in home.versions.names()
    later = Retention(home, Keep(None, DAY), clock=lambda: state_of(home.log()).time + 8 * DAY)  # type: ignore[operator]
    later.step(home.log())
    assert [one.kept is None for one in versions(streamed, end)] == [True, True, False]
    # What somebody has set is there as long as the window is pinned.
    assert verify(spark, streamed.plan, home).pinned == 1
    repair(spark, streamed, unpin=True)
    later = Retention(home, Keep(None, DAY), clock=lambda: state_of(home.log()).time + 16 * DAY)  # type: ignore[operator]
    later.step(home.log())
    assert home.versions.names() == []


def test_entries_of_an_earlier_version_are_versions_too(spark, streamed: Streamed) -> None:
    end = by_hand(streamed, streamed.standing[3], 1007)
    repair(spark, streamed)
    last = streamed.home.log().last
    streamed.forge(last, lambda entry: [entry.pop(name, None) for name in ("by", "cause", "kept")] and None)
    first, second = versions(streamed, end)
    assert (first.kept, second.why, second.by, second.cause) == (None, "repair", None, "")
    assert isinstance(streamed.home.log().read(last).body, Restate)
