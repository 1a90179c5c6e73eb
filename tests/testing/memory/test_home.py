"""What outlives a driver in memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.home.log.entries import Position, Published, Restate, Tick
from airflow_nrt.model.result_timing import AT_ONCE
from airflow_nrt.sql.load import plan_script
from airflow_nrt.testing.memory import MemoryHome, MemoryStream
from tests.engine.timed import EVENTS, OutputOptions, timed_insert


def home_of(window: str, timing: OutputOptions = AT_ONCE) -> MemoryHome:
    return MemoryHome(plan_script(EVENTS + timed_insert(window, timing), {"DATA": "/data"}, "report", Path("/data")))


def test_a_removal_spares_what_a_later_entry_has_published_again() -> None:
    home = home_of("TUMBLE(INTERVAL '10' MINUTE)")
    place = "600000"

    def result() -> Published:
        staged = home.put(home.staged, frozenset({(1, 1, 1)}), "staged/window")
        return Published("counts", 0, 600_000, "complete", 1, "", staged, place)

    for published, removed in (((result(),), ()), ((), (f"counts/{place}",)), ((result(),), ())):
        home.log().append(Restate(published, removed, "test", {}, 0), None)
    for _ in range(2):
        MemoryStream(home)
        assert home.table("counts") == {600_000: frozenset({(1, 1, 1)})}


def test_a_result_that_is_lost_is_an_error() -> None:
    home = home_of("TUMBLE(INTERVAL '10' MINUTE)")
    lost = Published("counts", 0, 600_000, "complete", 1, "", "staged/lost", "600000")
    home.log().append(Tick((lost,), 0, Position()), 1)
    with pytest.raises(KeyError, match="staged/lost"):
        MemoryStream(home)


def test_versions_of_sessions_are_refused_by_name() -> None:
    versions = home_of("SESSION(INTERVAL '4' MINUTE)", OutputOptions(first_result=-60_000))
    with pytest.raises(NotImplementedError, match=r"versions of sessions \(counts\): try it on Spark"):
        MemoryStream(versions)


FRAMES = "COUNT(*) OVER (PARTITION BY {} ORDER BY ts ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)"
REFUSED = {
    "frames that wait for different rows (w3)": (
        f"SELECT shop, {FRAMES.format('shop')}, {FRAMES.format('user_id')} FROM events"
    ),
    "OVER without a window (u1)": (
        "SELECT shop, COUNT(*) OVER (PARTITION BY shop ORDER BY user_id), user_id FROM events"
    ),
    "outer interval joins (u1)": (
        "SELECT a.shop, a.user_id, b.user_id FROM events AS a LEFT JOIN events AS b "
        "ON a.shop = b.shop AND a.ts BETWEEN b.ts AND b.ts + INTERVAL '1' MINUTE"
    ),
}


@pytest.mark.parametrize("refusal", REFUSED)
def test_what_is_not_in_memory_is_refused_by_name(refusal: str) -> None:
    sink = "CREATE TABLE result (shop INT, n BIGINT, m BIGINT) WITH ('connector' = 'print');"
    plan = plan_script(
        f"{EVENTS}{sink}\nINSERT INTO result {REFUSED[refusal]};", {"DATA": "/data"}, "report", Path("/data")
    )
    with pytest.raises(NotImplementedError, match=re.escape(f"{refusal}: try it on Spark")):
        MemoryStream(MemoryHome(plan))


def test_state_that_expires_is_refused() -> None:
    counts = """
    SET 'table.exec.state.ttl' = '1 h';
    CREATE TABLE result (shop INT, n BIGINT) WITH ('connector' = 'print');
    INSERT INTO result SELECT shop, COUNT(*) FROM events GROUP BY shop;
    """
    plan = plan_script(EVENTS + counts, {"DATA": "/data"}, "report", Path("/data"))
    with pytest.raises(NotImplementedError, match=r"the option 'table\.exec\.state\.ttl'"):
        MemoryStream(MemoryHome(plan))
