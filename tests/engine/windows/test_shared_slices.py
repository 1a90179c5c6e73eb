"""Inserts that group the same rows by the same keys: one operator, and each insert what it gives by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.reports import HOUR, batch_results, events_table, plan_of, random_events, write_events
from tests.engine.windows.streamed import BOUNDS, any_cut, streamed, windowed

GROWING = "CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' HOUR)"
OF_A_SHOP = "SESSION(TABLE events PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '5' MINUTE)"
CASES = {
    "counts": windowed(
        "shop INT, kind STRING, n BIGINT, dear BIGINT",
        f"""SELECT shop, item, COUNT(*), COUNT(*) FILTER (WHERE price > 50), {BOUNDS} FROM {GROWING}
        WHERE user_id < 15 GROUP BY shop, item, {BOUNDS}""",
    ),
    "users": windowed(
        "kind STRING, shop INT, users BIGINT, gmv DECIMAL(38, 2)",
        f"""SELECT e.item, e.shop, COUNT(DISTINCT user_id), SUM(price), {BOUNDS} FROM {GROWING} AS e
        WHERE e.user_id < 15 GROUP BY item, {BOUNDS}, shop HAVING COUNT(*) > 1""",
    ),
    "leaders": windowed(
        "shop INT, n BIGINT, place BIGINT",
        f"""SELECT shop, n, place, {BOUNDS} FROM (
            SELECT *, ROW_NUMBER() OVER (PARTITION BY {BOUNDS} ORDER BY n DESC, item) AS place FROM (
                SELECT item, shop, COUNT(price) AS n, {BOUNDS} FROM {GROWING} WHERE user_id < 15
                GROUP BY item, shop, {BOUNDS})) WHERE place < 3""",
    ),
    "visits": windowed(
        "shop INT, n BIGINT", f"SELECT shop, COUNT(*), {BOUNDS} FROM {OF_A_SHOP} GROUP BY shop, {BOUNDS}"
    ),
    "spent": windowed(
        "gmv DECIMAL(38, 2), shop INT", f"SELECT SUM(price), shop, {BOUNDS} FROM {OF_A_SHOP} GROUP BY {BOUNDS}, shop"
    ),
}  # fmt: skip
INSERTS = [case.insert(name) for name, case in CASES.items()]


@pytest.mark.usefixtures("several_tasks")
@pytest.mark.timeout(900)
@any_cut
def test_stream_is_proven_whatever_the_cut(spark, seed: int, batches: int) -> None:
    plan, verdict, written = streamed(spark, INSERTS, 150, seed, batches)
    assert [operator.window.kind for operator in plan.operators] == ["CUMULATE", "SESSION"]
    assert verdict.is_proven, verdict
    assert all(written.values())


def test_each_is_what_it_is_by_itself(spark, tmp_path: Path) -> None:
    file = write_events(tmp_path / "events" / "all.csv", random_events(3, 200, 2 * HOUR))
    together = batch_results(spark, plan_of(tmp_path, events_table(), *INSERTS), file)
    for name, insert in zip(CASES, INSERTS):
        assert together[name] == batch_results(spark, plan_of(tmp_path, events_table(), insert), file)[name]
