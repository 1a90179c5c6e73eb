"""A home that is older than an option goes on as it did without it."""

from __future__ import annotations

import json
from pathlib import Path

from airflow_nrt.home.home import Home
from airflow_nrt.home.identity.identity import Identity
from airflow_nrt.model.plan import Plan
from tests.sample import plan_of

FOLLOW, ELEMENTS = "source.follow-links", "source.max-line-elements"
KNOWN = ("source.rejected.limit", FOLLOW, ELEMENTS, "primary-key.not-null")
TABLES = """
CREATE TABLE orders (shop STRING, ts TIMESTAMP(3), proctime AS PROCTIME(), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv'{more});
CREATE TABLE shops (shop STRING) WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'csv');
CREATE TABLE totals (shop STRING) WITH ('connector' = 'filesystem', 'path' = 'totals', 'format' = 'csv');
INSERT INTO totals SELECT o.shop FROM orders AS o JOIN shops FOR SYSTEM_TIME AS OF o.proctime AS s ON o.shop = s.shop;
"""


def links(plan: Plan) -> list[str | None]:
    return [table.options.get(FOLLOW) for table in plan.tables_read]


def plan(place: Path, **more: str) -> Plan:
    return plan_of(TABLES.format(more="".join(f", '{FOLLOW}' = '{value}'" for value in more.values())), base=place)


def made_before(home: Home) -> Home:
    content = json.loads(home.report_file.local.read_text())
    del content["knows"]
    home.report_file.local.write_text(json.dumps(content))
    return home


def test_a_new_home_knows_it(tmp_path: Path) -> None:
    made = plan(tmp_path)
    home = Home.create(tmp_path / "home", made)
    assert tuple(home.identity().knows) == KNOWN
    assert home.as_it_runs(made) == made and links(made) == [None, None]
    assert Home.at(tmp_path / "nowhere").as_it_runs(made) == made


def test_an_older_home_does_not(tmp_path: Path) -> None:
    """What its report says counts there, too, and neither makes it another report."""
    made = plan(tmp_path)
    home = made_before(Home.create(tmp_path / "home", made))
    assert home.identity().knows == ()
    assert links(home.as_it_runs(made)) == ["warn", "warn"]
    home.check_report(home.as_it_runs(made))
    for value in ("inside", "all"):
        says = plan(tmp_path, follow=value)
        home.check_report(says)
        assert links(home.as_it_runs(says)) == [value, "warn"]


def test_a_home_whose_report_gets_a_table_stays_as_old_as_it_is(tmp_path: Path) -> None:
    made = plan(tmp_path)
    old = made_before(Home.create(tmp_path / "home", made)).identity()
    assert old.with_added(made, tmp_path / "launches", {}).knows == ()
    assert Identity.of(made, tmp_path / "launches").with_added(made, tmp_path / "launches", {}).knows == KNOWN


def test_keys_may_be_null_in_an_older_home_except_in_a_database(tmp_path: Path) -> None:
    keyed = """CREATE TABLE a (k STRING) WITH ('connector' = 'filesystem', 'path' = 'a', 'format' = 'json');
        CREATE TABLE b (k STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ({});
        INSERT INTO b SELECT k FROM a;"""
    for sink, is_checked in (
        ("'connector' = 'filesystem', 'path' = 'b', 'format' = 'json'", False),
        ("'connector' = 'jdbc', 'url' = 'jdbc:postgresql://db/app', 'table-name' = 'b'", True),
    ):
        made = plan_of(keyed.format(sink), base=tmp_path)
        home = Home.create(tmp_path / f"home-{is_checked}", made)
        assert "raise_error" in home.as_it_runs(made).inserts[0].query.sql
        older = made_before(home).as_it_runs(made)
        assert ("raise_error" in older.inserts[0].query.sql) == is_checked
        home.check_report(older)


def test_what_becomes_of_a_null_may_change(tmp_path: Path) -> None:
    made = plan(tmp_path)
    home = Home.create(tmp_path / "home", made)
    drops = "SET 'table.exec.sink.not-null-enforcer' = 'drop';"
    home.check_report(plan_of(drops + made.script, base=tmp_path))


def test_a_topic_has_the_older_value_of_what_topics_know(tmp_path: Path) -> None:
    topic = "'topic' = 'orders', 'properties.bootstrap.servers' = 'one:9092', 'source.monitor-interval' = '1 s'"
    of_files = "'connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv'{more}"
    script = TABLES.replace(
        of_files, f"'connector' = 'kafka', 'format' = 'json', {topic}, 'scan.startup.mode' = 'earliest-offset'"
    )
    made = plan_of(script, base=tmp_path)
    home = made_before(Home.create(tmp_path / "home", made))
    orders, shops = (table.options for table in home.as_it_runs(made).tables_read)
    assert (FOLLOW in orders, FOLLOW in shops) == (False, True)
    assert orders[ELEMENTS] == shops[ELEMENTS] == "999999999"
