"""What looks at the groups of a window: OVER beside aggregates, grouping sets in one another, groups below IN."""

from __future__ import annotations

from pathlib import Path

from tests.engine.reports import (
    HOUR,
    batch_results,
    duckdb_events,
    events_table,
    ordered,
    plan_of,
    random_events,
    write_events,
)
from tests.engine.windows.streamed import BOUNDS, windowed

WINDOW = "TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '20' MINUTE)"
OLDER = "TUMBLE(ts, INTERVAL '20' MINUTE)"
RANK = f"ROW_NUMBER() OVER (PARTITION BY {BOUNDS} ORDER BY SUM(price) DESC, shop)"
CASES = {
    "ranked": windowed(
        "shop INT, n DECIMAL(38, 2), place BIGINT",
        f"SELECT e.shop, SUM(price), {RANK} + 1, {BOUNDS} FROM {WINDOW} AS e "
        f"GROUP BY {BOUNDS}, e.shop HAVING COUNT(*) > 1",
    ),
    "best": windowed(
        "shop INT",
        f"SELECT shop, {BOUNDS} FROM (SELECT shop, {RANK} AS place, {BOUNDS} FROM {WINDOW} GROUP BY {BOUNDS}, shop) "
        "WHERE place = 1",
    ),
    "older": windowed(
        "shop INT, place BIGINT",
        f"""SELECT shop, RANK() OVER (PARTITION BY {OLDER.replace("TUMBLE", "TUMBLE_START")},
        {OLDER.replace("TUMBLE", "TUMBLE_END")} ORDER BY COUNT(*)), {OLDER.replace("TUMBLE", "TUMBLE_START")},
        {OLDER.replace("TUMBLE", "TUMBLE_END")} FROM events GROUP BY shop, {OLDER}""",
    ),
    "sets": windowed(
        "shop INT, item STRING, g BIGINT, again BIGINT, n BIGINT",
        f"""SELECT shop, item, GROUPING_ID(shop, item), GROUP_ID(), COUNT(*), {BOUNDS} FROM {WINDOW}
        GROUP BY {BOUNDS}, GROUPING SETS (ROLLUP (shop, item), GROUPING SETS (item, CUBE (item)))""",
    ),
    "plain": windowed(
        "shop INT, g BIGINT, again BIGINT",
        f"SELECT shop, GROUPING(shop), GROUP_ID(), {BOUNDS} FROM {WINDOW} GROUP BY {BOUNDS}, shop",
    ),
    "known": windowed(
        "id BIGINT",
        f"""SELECT id, {BOUNDS} FROM (SELECT * FROM {WINDOW}) l WHERE shop IN (
        SELECT shop FROM (SELECT * FROM {WINDOW}) r WHERE l.window_start = r.window_start
        AND l.window_end = r.window_end AND price > 90 GROUP BY shop)""",
    ),
}


def test_batch_is_what_duckdb_says(spark, tmp_path: Path) -> None:
    file = write_events(tmp_path / "events" / "all.csv", random_events(9, 300, 3 * HOUR))
    plan = plan_of(tmp_path, events_table(), *(case.insert(name) for name, case in CASES.items()))
    results = batch_results(spark, plan, file)
    connection = duckdb_events(file)
    connection.execute(
        """CREATE TABLE w AS
        SELECT *, time_bucket(INTERVAL 20 MINUTE, ts) AS s, s + INTERVAL 20 MINUTE AS e FROM events"""
    )

    def said(query: str) -> list[tuple[object, ...]]:
        return ordered(connection.execute(query).fetchall())

    place = "row_number() OVER (PARTITION BY s, e ORDER BY sum(price) DESC NULLS LAST, shop NULLS FIRST)"
    assert results["ranked"] == said(
        f"SELECT shop, sum(price), {place} + 1, s, e FROM w GROUP BY s, e, shop HAVING count(*) > 1"
    )
    assert results["best"] == said(f"SELECT shop, s, e FROM w GROUP BY s, e, shop QUALIFY {place} = 1")
    assert results["older"] == said(
        "SELECT shop, rank() OVER (PARTITION BY s ORDER BY count(*)), s, e FROM w GROUP BY s, e, shop"
    )
    one = "SELECT {}, {}, {}, {}, count(*), s, e FROM w GROUP BY s, e, {}".format
    sets = [("shop", "item", 0, 0, "shop, item"), ("shop", "NULL", 1, 0, "shop"), ("NULL", "NULL", 3, 0, "()")]
    sets += [("NULL", "item", 2, 0, "item"), ("NULL", "item", 2, 1, "item"), ("NULL", "NULL", 3, 1, "()")]
    assert results["sets"] == said(" UNION ALL ".join(one(*each) for each in sets))
    assert results["plain"] == said("SELECT shop, 0, 0, s, e FROM w GROUP BY s, e, shop")
    assert results["known"] == said(
        "SELECT id, s, e FROM w l WHERE EXISTS (SELECT 1 FROM w r WHERE r.s = l.s AND r.shop = l.shop AND r.price > 90)"
    )
