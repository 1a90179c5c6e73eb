"""Reports without a window, by kind of operator."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.testing.memory import Meaning, Row
from airflow_nrt.testing.memory.meaning import Views
from tests.engine.driver.agree.kind import COUNTS, SESSIONS, Kind, pick
from tests.engine.driver.agree.kinds_of_windows import SELECT_SESSIONS, session, windows
from tests.engine.timed import EVENTS

KEYED = EVENTS.replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), PRIMARY KEY (shop, user_id) NOT ENFORCED,")
NAMES = "CREATE TABLE names (shop INT, name STRING) WITH "
NAMES += "('connector' = 'filesystem', 'path' = '${DATA}/names', 'format' = 'csv');"
USERS = "shop INT, user_id INT"
PAIRS = "shop INT, n INT, m INT"


def named(views: Views) -> list[Row]:
    """The rows of a batch with the names of their shops."""
    pairs = ((row, name) for row in views["events"] for name in views["names"])
    return [Row(row.key, (row.value, name.value)) for row, name in pairs if row.key == name.key]


def join(kind: str) -> Kind:
    query = (
        f"SELECT COALESCE(a.shop, b.shop), a.user_id, b.user_id FROM events a {kind} JOIN others b ON a.shop = b.shop"
    )
    return Kind(query, PAIRS, changes=True)


def latest(rows: Sequence[Row]) -> list[Row]:
    """Of equal times the row that came last is the first."""
    return sorted(rows, key=lambda row: row.at)[::-1]


def count_of(shop: Row) -> Row:
    return Row(shop.value[0], None)


BY_SHOP = "(SELECT shop, COUNT(*) AS n, COUNT(DISTINCT user_id) AS users FROM events GROUP BY shop)"
RECENT = "events WHERE ts BETWEEN NOW() - INTERVAL '10' MINUTE AND NOW()"
OF_ROWS = {
    "passing rows": Kind("SELECT shop, user_id FROM events", USERS),
    "lookup join": Kind(
        "SELECT e.shop, e.user_id, n.name FROM (SELECT *, PROCTIME() AS at FROM events) AS e "
        "JOIN names FOR SYSTEM_TIME AS OF e.at AS n ON e.shop = n.shop",
        "shop INT, user_id INT, name STRING",
        Meaning({"result": named}),
        more=NAMES,
    ),
    "GROUP BY": Kind(f"SELECT * FROM {BY_SHOP}", changes=True),
    "GROUP BY nothing": Kind(
        "SELECT COUNT(*), COUNT(DISTINCT user_id) FROM events",
        "n BIGINT, users BIGINT",
        Meaning(
            {"u1": pick("events", lambda row: Row((), row.value)), "result": pick("u1", lambda row: Row(*row.value))}
        ),
        changes=True,
    ),
    "GROUP BY of rows that change": Kind(
        f"SELECT n, COUNT(*) FROM {BY_SHOP} GROUP BY n",
        "n BIGINT, shops BIGINT",
        Meaning({"u2": pick("u1", count_of), "result": pick("u2", lambda row: Row(row.key, row.value[0]))}),
        changes=True,
    ),
    "GROUP BY of windows": Kind(
        f"SELECT n, COUNT(*) FROM {windows()} GROUP BY n",
        "n BIGINT, windows BIGINT",
        Meaning({"u1": pick("w1", count_of), "result": pick("u1", lambda row: Row(row.key, row.value[0]))}),
        changes=True,
    ),
    "Top-N": Kind(
        f"SELECT shop, n, r FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY n DESC, shop) AS r FROM {BY_SHOP}) "
        "WHERE r <= 2",
        means=Meaning(
            {
                "u2": pick("u1", lambda row: Row((), (row.value[0], row.key))),
                "result": lambda views: [
                    Row(shop, (n, number)) for (n, shop), number in (row.value for row in views["u2"]) if number <= 2
                ],
            },
            {"u2": lambda rows: sorted(rows, key=lambda row: (-row.value[0], row.value[1] is not None, row.value[1]))},
        ),
        changes=True,
    ),
    "deduplication": Kind(
        "SELECT shop, user_id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY ts DESC) AS r FROM events) "
        "WHERE r = 1",
        USERS,
        Meaning({"result": pick("u1", lambda row: Row(row.key, row.value[0]))}, {"u1": latest}),
        changes=True,
    ),
    "inner join": Kind(join("INNER").query, PAIRS),
    **{f"{kind.lower()} join": join(kind) for kind in ("LEFT", "FULL")},
    "semi join": Kind("SELECT shop, user_id FROM events WHERE shop IN (SELECT shop FROM others)", USERS),
    "anti join": Kind(
        "SELECT shop, user_id FROM events AS a WHERE NOT EXISTS (SELECT 1 FROM others AS b WHERE a.shop = b.shop)",
        USERS,
        changes=True,
    ),
    "interval join": Kind(
        "SELECT a.shop, a.user_id, b.user_id FROM events AS a JOIN others AS b ON a.shop = b.shop "
        "AND a.ts BETWEEN b.ts - INTERVAL '5' MINUTE AND b.ts + INTERVAL '2' MINUTE",
        PAIRS,
    ),
    "recent rows": Kind(
        f"SELECT shop, COUNT(*), COUNT(DISTINCT user_id) FROM {RECENT} GROUP BY shop", COUNTS, changes=True
    ),
    "rows at the end": Kind("SELECT shop, user_id FROM events ORDER BY user_id", USERS),
    "SESSION of rows that change": Kind(
        SELECT_SESSIONS,
        SESSIONS,
        Meaning(
            {
                "u1": pick("events", lambda row: Row((row.key, row.value), row.at, row.at)),
                "u2": pick("u1", lambda row: Row(row.key[0], row.key[1], row.value[0])),
                "u3": pick("u2", lambda row: Row((row.key, *row.value[1:]), row.value[0])),
                "result": pick("u3", session),
            },
            {"u1": latest},
        ),
        changes=True,
        events=KEYED,
    ),
}
