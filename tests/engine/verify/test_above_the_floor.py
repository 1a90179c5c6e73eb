"""With a floor, what begins above it is verified and restated as before; of what is below nothing is said."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.describe.verdict import verdict_lines
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.verify.interval import Interval, check_interval
from airflow_nrt.engine.verify.verify import unprovable, verify
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.home import Home
from airflow_nrt.home.kept import Keep
from airflow_nrt.home.log.fold.checkpoints import write_checkpoints
from airflow_nrt.home.log.fold.settled import note_settled
from airflow_nrt.home.log.history.history_of_log import history_of
from airflow_nrt.home.notes.verdicts import kept_verdicts
from airflow_nrt.home.retention.retention import Retention
from airflow_nrt.home.status import read_status
from airflow_nrt.model.plan import Plan
from tests.engine.reports import (
    DELAY,
    HOUR,
    MORNING,
    Stream,
    arriving,
    cut,
    events_table,
    options,
    plan_of,
    random_events,
    rows_of,
    write_events,
)
from tests.home.short_logs import shorten

CURVE = "CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR)"
HOPS = "HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTES, INTERVAL '40' MINUTES)"


def a_table(place: Path, name: str, windows: str) -> str:
    given = options(connector="filesystem", path=f"{place}/{name}", format="parquet")
    return (
        f"CREATE TABLE {name} (shop INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), n BIGINT) WITH ({given});"
        f"INSERT INTO {name} SELECT shop, window_start, window_end, COUNT(*) FROM TABLE({windows}) "
        "GROUP BY shop, window_start, window_end"
    )


def removed(home: Home) -> None:
    log = home.log()
    write_checkpoints(log)
    note_settled(log)
    retention = Retention(home, Keep(0, HOUR), clock=lambda: now_ms() + 1)
    while retention.step(log):
        pass


def a_plan(place: Path) -> Plan:
    made = [a_table(place, "curve", CURVE), a_table(place, "hops", HOPS)]
    return plan_of(place, events_table(), *(f"{text};" for one in made for text in one.split(";")))


@pytest.fixture(scope="module", autouse=True)
def _short_volumes() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        shorten(patched, 2, 4)
        yield


@pytest.fixture(scope="module")
def homes(spark, _short_volumes: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Plan, Home, Path]]:
    """The same stream twice: of one, entries went at random moments, and drivers began again."""
    found = {}
    batches = cut(arriving(random_events(5, 200, 6 * HOUR), 5, DELAY, late=0.1), 5, 12)
    for name in ("whole", "removed"):
        place, chance = tmp_path_factory.mktemp(name), random.Random(5)
        plan = a_plan(place)
        stream = Stream(spark, plan, place / "home")
        for n, batch in enumerate(batches):
            stream.absorb(write_events(place / "events" / f"{n:03d}.csv", batch))
            goes, begins = chance.random() < 0.4, chance.random() < 0.3
            # Later windows are to be proven.
            if name == "removed" and (n == 6 or (n < 6 and goes)):
                removed(stream.home)
            if begins:
                stream = Stream(spark, plan, place / "home")
        found[name] = plan, stream.home, place
    return found


@pytest.fixture
def floored(homes: dict[str, tuple[Plan, Home, Path]], tmp_path: Path) -> tuple[Plan, Home, Path]:
    return homes["removed"]


def bound(plan: Plan, home: Home) -> int:
    """Windows that end after this can be proven, in all tables."""
    return max(unprovable(plan, history_of(home.log(), plan), Interval()).values())


def test_the_stream_went_on_as_if_nothing_were_removed(homes: dict[str, tuple[Plan, Home, Path]]) -> None:
    (_, whole, before), (_, home, place) = homes["whole"], homes["removed"]
    assert whole.log().first == 0 and home.log().first >= 4 and home.log().last == whole.log().last
    for table in ("curve", "hops"):
        assert rows_of(place / table) == rows_of(before / table) != []


def test_what_begins_above_is_verified_as_before(spark, homes: dict[str, tuple[Plan, Home, Path]]) -> None:
    (plan, whole, _), (own, home, _) = homes["whole"], homes["removed"]
    after = bound(own, home)
    assert MORNING + HOUR < after < MORNING + 6 * HOUR
    one, other = (verify(spark, p, h, Interval(after, None)) for p, h in ((plan, whole), (own, home)))
    assert other.is_proven and not other.problems and not other.unprovable and other.windows > 4
    assert (other.windows, other.equal, other.explained) == (one.windows, one.equal, one.explained)


def test_of_what_is_below_nothing_is_said(spark, floored: tuple[Plan, Home, Path]) -> None:
    plan, home, _ = floored
    after = bound(plan, home)
    verdict = verify(spark, plan, home)
    assert verdict.holds and not verdict.is_proven and not verdict.problems and verdict.windows > 4
    assert verdict.to_json()["proven"] is False and set(verdict.unprovable) == {"curve", "hops"}
    assert any("can't be proven before 2024-06-18" in line for line in verdict_lines(verdict))
    kept = next(iter(kept_verdicts(home, {}).values()))
    assert kept.proven and kept.of_window("curve", MORNING + HOUR, 0) is None
    below = Interval(MORNING, MORNING + HOUR)
    nothing = verify(spark, plan, home, below)
    assert nothing.windows == 0 and not nothing.is_proven
    with pytest.raises(InputError, match=r"the windows of the interval can't be proven before 2024-06-18"):
        check_interval(plan, history_of(home.log(), plan), below)
    assert after < END_OF_TIME


def test_a_difference_above_is_found(spark, homes: dict[str, tuple[Plan, Home, Path]]) -> None:
    plan, home, place = homes["removed"]
    after, path = bound(plan, home), None
    for entry in home.log().audit():
        for one in entry.published:
            if one.insert == "curve" and one.end is not None and one.end > after:
                path = place / "curve" / one.target
    assert path is not None
    kept = path.with_name("_kept")
    shutil.copy(path, kept)
    try:
        path.unlink()
        assert verify(spark, plan, home, Interval(after, None)).unexplained == 1
    finally:
        kept.rename(path)


def test_a_backfill_above_and_below(spark, floored: tuple[Plan, Home, Path]) -> None:
    plan, home, _ = floored
    after = bound(plan, home)
    until = min(one.complete_until or 0 for one in home.log().position().operators.values())
    with pytest.raises(InputError, match=r"computed again: begin it there, or backfill into a new home.*home\.keep"):
        backfill(spark, plan, home, Interval(MORNING, until), check=False)
    done = backfill(spark, plan, home, Interval(after, until), check=False)
    assert {one.insert for one in done.published} == {"curve", "hops"}
    assert not list(home.followers.local.iterdir())
    assert verify(spark, plan, home, Interval(after, None)).is_proven


def test_its_status(floored: tuple[Plan, Home, Path]) -> None:
    _, home, _ = floored
    status = read_status(home)
    assert status.first_entry == home.log().first and status.removed_until is not None
    assert status.provable_from is not None and MORNING < status.provable_from < MORNING + 6 * HOUR
