"""Reports of windows, by kind of operator."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.testing.memory import Meaning, Row
from airflow_nrt.testing.memory.meaning import Views
from tests.engine.driver.agree.kind import ENDS, SESSIONS, Kind, pick

TUMBLE = "TUMBLE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' MINUTE)"
GRIDS = {
    "TUMBLE": TUMBLE,
    "HOP": "HOP(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '25' MINUTE)",
    "HOP with gaps": "HOP(TABLE {}, DESCRIPTOR(ts), INTERVAL '20' MINUTE, INTERVAL '10' MINUTE)",
    "CUMULATE": "CUMULATE(TABLE {}, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '60' MINUTE)",
}
GAPS = "SESSION(TABLE {} PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '4' MINUTE)"


def windows(source: str = "events", function: str = TUMBLE) -> str:
    """Rows and users by shop and window."""
    counts = "shop, window_start, window_end, window_time, COUNT(*) AS n, COUNT(DISTINCT user_id) AS users"
    by = "GROUP BY shop, window_start, window_end, window_time"
    return f"(SELECT {counts} FROM TABLE({function.format(source)}) {by})"


def over(frame: str) -> Kind:
    named = f"WINDOW w AS (PARTITION BY shop ORDER BY ts {frame})"
    calls = "COUNT(*) OVER w, COUNT(DISTINCT user_id) OVER w"
    return Kind(f"SELECT shop, user_id, {calls} FROM events {named}", "shop INT, user_id INT, n BIGINT, users BIGINT")


def grid(function: str) -> Kind:
    query = f"SELECT shop, window_end, n, users FROM {windows(function=function)}"
    return Kind(query, ENDS, Meaning({"result": pick("w1", lambda row: Row(row.key, (row.at + 1, *row.value)))}))


def session(row: Row) -> Row:
    """The bounds of a session are part of its key."""
    return Row(row.key[0], (*row.key[1:], *row.value))


def inner_join(views: Views) -> list[Row]:
    """Pairs of rows in one window, with its end."""
    pairs = ((a, b) for a in views["w1"] for b in views["w2"] if a.key == b.key is not None)
    return [Row(a.key, (a.at + 1, a.value[0], b.value[0])) for a, b in pairs]


def full_join(views: Views) -> list[Row]:
    """The rows of two operators in one window. NULL equals nothing."""
    left, right = views["w1"], views["w2"]
    pairs = [Row(row.key, row.value[1:]) for row in inner_join(views)]
    matched = {row.key for row in pairs}
    alone = [Row(a.key, (a.value[0], None)) for a in left if a.key not in matched]
    return [*pairs, *alone, *(Row(b.key, (None, b.value[0])) for b in right if b.key not in matched)]


def busiest(views: Views) -> list[Row]:
    """The two shops with most rows."""
    found = by_count(views["w1"])
    return [Row(row.key, (row.value[0], number)) for number, row in enumerate(found[:2], 1)]


def by_count(rows: Sequence[Row]) -> list[Row]:
    """Most rows first; the numbers of rows are the first of the values."""
    return sorted(rows, key=lambda row: (-row.value[0], row.key is not None, row.key))


def last_of_shop(views: Views) -> list[Row]:
    """Each row is a key of its own: shop, user and time."""
    inputs = sorted((row.key for row in views["w1"]), key=lambda key: (key[2], key[1]))
    return [Row(shop, user) for shop, (user, _) in {shop: (user, at) for shop, user, at in inputs}.items()]


ROW_OF_EACH = pick("events", lambda row: Row((row.key, row.value, row.at), None, row.at))
SAME_WINDOW = "a.window_start = b.window_start AND a.window_end = b.window_end"
SELECT_SESSIONS = f"SELECT shop, window_start, window_end, n, users FROM {windows(function=GAPS)}"
OF_WINDOW = "PARTITION BY window_start, window_end"
LAST = f"ROW_NUMBER() OVER ({OF_WINDOW}, shop ORDER BY ts DESC, user_id DESC)"
OF_WINDOWS = {
    **{name: grid(function) for name, function in GRIDS.items()},
    "SESSION": Kind(SELECT_SESSIONS, SESSIONS, Meaning({"result": pick("w1", session)})),
    "OVER minutes before": over("RANGE BETWEEN INTERVAL '3' MINUTE PRECEDING AND CURRENT ROW"),
    "OVER rows before": over("ROWS BETWEEN 2 PRECEDING AND CURRENT ROW"),
    "OVER all rows before": over(""),
    "OVER minutes after": over("RANGE BETWEEN CURRENT ROW AND INTERVAL '5' MINUTE FOLLOWING"),
    "OVER rows after": over("ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING"),
    "window join": Kind(
        f"SELECT COALESCE(a.shop, b.shop), a.n, b.n FROM {windows()} a FULL JOIN {windows('others')} b "
        f"ON a.shop = b.shop AND {SAME_WINDOW}",
        means=Meaning({"result": full_join}),
    ),
    "window Top-N": Kind(
        f"SELECT shop, n, r FROM (SELECT *, ROW_NUMBER() OVER ({OF_WINDOW} ORDER BY n DESC, shop) AS r "
        f"FROM {windows()}) WHERE r <= 2",
        means=Meaning({"result": busiest}),
    ),
    "window deduplication": Kind(
        f"SELECT shop, user_id FROM (SELECT *, {LAST} AS r FROM TABLE({TUMBLE.format('events')})) WHERE r = 1",
        "shop INT, user_id INT",
        Meaning({"w1": ROW_OF_EACH, "result": last_of_shop}),
    ),
    "window over windows": Kind(
        "SELECT shop, COUNT(*), COUNT(DISTINCT n) FROM TABLE(TUMBLE(TABLE hot, DESCRIPTOR(rt), INTERVAL '30' MINUTE)) "
        "GROUP BY shop, window_start, window_end",
        means=Meaning({"w2": pick("w1", lambda row: Row(row.key, row.value[0], row.at))}),
        more=f"CREATE VIEW hot AS SELECT shop, n, window_time AS rt FROM {windows()};",
    ),
    "aggregate of windows": Kind(
        f"SELECT COUNT(*), COUNT(DISTINCT n) FROM {windows()} GROUP BY window_start, window_end",
        "n BIGINT, users BIGINT",
        Meaning(
            {
                "g1": pick("w1", lambda row: Row((), row.value[0])),
                "result": pick("g1", lambda row: Row(*row.value)),
            }
        ),
    ),
}
