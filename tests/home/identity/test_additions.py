"""A home takes a report to which inserts were added that others can fill, and no other change with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import plan_of_home
from tests.sample import CURVE, INSERT, ORDERS, REPORT, plan_of

OTHER = CURVE.replace("curve", "other")
BOTH = REPORT + OTHER + INSERT.replace("INTO curve", "INTO other")
VIEW = f"CREATE VIEW counts AS {INSERT.partition('curve')[2]}".replace("COUNT(*)", "COUNT(*) AS cnt")
VIEWED = ORDERS + VIEW + CURVE + "INSERT INTO curve SELECT * FROM counts;"
PRINTED = CURVE.replace("'filesystem', 'path' = 'curve', 'format' = 'json'", "'print'")
CSV = CURVE.replace("'json'", "'csv'")
SESSIONS = INSERT.replace("CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR)",
                          "SESSION(TABLE orders PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '10' MINUTES)")  # fmt: skip
ROWS = (
    "CREATE TABLE {name} (shop STRING, price DECIMAL(10, 2)) WITH ('connector' = 'filesystem', 'path' = '{name}', "
    "'format' = 'json'); INSERT INTO {name} SELECT shop, price FROM orders;"
)


def home_of(script: str, place: Path) -> Home:
    return Home.create(place / "home", plan_of(script))


@pytest.mark.parametrize(
    ("made_for", "script"),
    [
        (REPORT, BOTH),
        (REPORT, ORDERS + OTHER + INSERT.replace("INTO curve", "INTO other") + CURVE + INSERT),
        (VIEWED, VIEWED + OTHER + "INSERT INTO other SELECT * FROM counts;"),
    ],
    ids=["at the end", "at the start", "of the same view"],
)
def test_an_insert_with_the_same_query(tmp_path: Path, made_for: str, script: str) -> None:
    home, plan = home_of(made_for, tmp_path), plan_of(script)
    before, outline = home.identity(), home.outline()
    assert Home.create(home.path, plan, plan_of_home).additions(plan, plan_of_home) == {"other": "curve"}
    # Until a driver takes it, the home is as it was.
    assert (home.identity(), home.outline()) == (before, outline)
    with pytest.raises(InputError, match="does not know of other yet: start the stream of the changed report first"):
        home.check_report(plan, plan_of_home)
    home.accept(plan, plan_of_home)
    home.check_report(plan, plan_of_home)
    after, known = home.identity(), home.outline()
    assert (after.id, after.created, after.added) == (before.id, before.created, {"other": "curve"})
    assert after.operators == before.operators
    assert known is not None and {one.name for one in known.inserts} == {"curve", "other"}
    with pytest.raises(InputError, match=r"made:\n  - other: removed: its table stays as it is, .*\nWays out: "):
        home.check_report(plan_of(made_for), plan_of_home)


def test_one_more_is_filled_from_the_first_one_too(tmp_path: Path) -> None:
    home = home_of(REPORT, tmp_path)
    home.accept(plan_of(BOTH), plan_of_home)
    third = CURVE.replace("curve", "third") + INSERT.replace("INTO curve", "INTO third")
    home.accept(plan_of(BOTH + third), plan_of_home)
    assert home.identity().added == {"other": "curve", "third": "curve"}


@pytest.mark.parametrize(
    ("before", "added", "reason"),
    [
        (REPORT, OTHER + INSERT.replace("INTO curve", "INTO other").replace("COUNT(*)", "COUNT(id)"),
         "no insert that was there has the same query: nothing can fill its table"),
        (REPORT, OTHER.replace("cnt BIGINT", "cnt DECIMAL(20, 0)") + INSERT.replace("INTO curve", "INTO other"),
         "from that of curve, because its columns have other types: declare the new table with the same"),
        (ORDERS + PRINTED + INSERT, OTHER + INSERT.replace("INTO curve", "INTO other"),
         "from that of curve, because connector 'print' can't be read back"),
        (ORDERS + CSV + INSERT, OTHER + INSERT.replace("INTO curve", "INTO other"),
         "from that of curve, because its files have '' and NULL alike"),
        (ORDERS + CURVE + SESSIONS, OTHER + SESSIONS.replace("INTO curve", "INTO other"),
         "may publish several times at one end"),
        (ORDERS + ROWS.format(name="a"), ROWS.format(name="b"), "from that of a: the query has no windows"),
        (REPORT, INSERT, "curve_2: new: another insert writes into its table already"),
    ],
    ids=["another query", "other types", "print", "csv", "sessions", "rows", "one table"],
)  # fmt: skip
def test_an_insert_that_nothing_can_fill(tmp_path: Path, before: str, added: str, reason: str) -> None:
    home = home_of(before, tmp_path)
    identity = home.identity()
    with pytest.raises(InputError, match="Ways out: give up this home, which has read nothing yet") as wrong:
        Home.create(home.path, plan_of(before + added), plan_of_home)
    (line,) = (one for one in str(wrong.value).splitlines() if one.startswith("  - "))
    assert reason in line
    assert home.identity() == identity


def test_another_twin_is_taken_where_one_cannot_be_read(tmp_path: Path) -> None:
    printed = PRINTED.replace("curve", "shown") + INSERT.replace("INTO curve", "INTO shown")
    script = ORDERS + printed + CURVE + INSERT
    home = home_of(script, tmp_path)
    plan = plan_of(script + OTHER + INSERT.replace("INTO curve", "INTO other"))
    assert home.additions(plan, plan_of_home) == {"other": "curve"}


def test_another_change_is_refused_as_ever(tmp_path: Path) -> None:
    home = home_of(REPORT, tmp_path)
    with pytest.raises(InputError, match="watermark for ts: ts - INTERVAL '5' MINUTES -> ts - INTERVAL '6'"):
        Home.create(home.path, plan_of(BOTH.replace("'5' MINUTES", "'6' MINUTES")), plan_of_home)
