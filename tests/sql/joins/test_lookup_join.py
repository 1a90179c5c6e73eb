"""Lookup joins as they are planned: Flink's rules, and what a plan says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.description import describe
from airflow_nrt.describe.lineage import lineage_of
from airflow_nrt.home.identity.fingerprint import fingerprint
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.planner import plan_query

TABLES = """
CREATE TABLE orders (id BIGINT, shop INT, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE shops (id INT, region STRING, owner STRING)
WITH ('connector' = 'filesystem', 'path' = 'shops', 'format' = 'csv'OPTIONS);
CREATE TABLE live (id INT)
WITH ('connector' = 'filesystem', 'path' = 'live', 'format' = 'csv', 'source.monitor-interval' = '1 s');
CREATE TABLE changes (id INT) WITH ('connector' = 'filesystem', 'path' = 'changes', 'format' = 'debezium-json');
CREATE TABLE topic (id INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json',
    'properties.bootstrap.servers' = 'there:9092', 'scan.startup.mode' = 'earliest-offset');
CREATE TABLE keyed (id INT PRIMARY KEY NOT ENFORCED, p AS PROCTIME(), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'keyed', 'format' = 'csv');
CREATE VIEW big AS SELECT * FROM shops;
"""
COUNTED = (
    "SELECT id, shop, COUNT(*) AS p FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR({}), INTERVAL '1' HOUR)) "
    "GROUP BY id, shop, window_start, window_end"
)
JOINED = "SELECT a.id, a.shop FROM orders a JOIN live b ON a.id = b.id"
TIMED = "SELECT id, shop, PROCTIME() AS p FROM ({})"
FORM = "SELECT o.id, s.* FROM orders AS o JOIN shops FOR SYSTEM_TIME AS OF o.p AS s ON o.shop = s.id"
ATTRIBUTE = "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field: "


def planned(query: str, options: str = "") -> Plan:
    return plan_query(TABLES.replace("OPTIONS", options), query, Path("/"))


def changed(old: str, new: str) -> str:
    assert old in FORM
    return FORM.replace(old, new)


@pytest.mark.parametrize(
    ("query", "columns"),
    [
        (FORM, ("id", "region", "owner")),
        (changed("s.*", "s.region"), ("id", "region")),
        (changed("s.*", "1 AS one"), ("id",)),
        (changed("JOIN", "LEFT JOIN") + " AND s.owner <> 'Ann'", ("id", "region", "owner")),
        ("SELECT o.id FROM orders o, shops FOR SYSTEM_TIME AS OF o.p s WHERE o.shop = s.id", ("id",)),
        ("SELECT id FROM orders JOIN shops FOR SYSTEM_TIME AS OF p USING (id)", ("id",)),
        ("SELECT o.id FROM (SELECT id, PROCTIME() AS q FROM orders) o "
         "JOIN shops FOR SYSTEM_TIME AS OF o.q s ON 2 = s.id", ("id",)),
    ],
)  # fmt: skip
def test_columns_that_are_read(query: str, columns: tuple[str, ...]) -> None:
    """Of the left table the column of processing time is not read: it is that of the batch."""
    plan = planned(query)
    (lookup,) = plan.lookups
    assert lookup.name == "shops" and lookup.columns == columns
    assert [source.name for source in plan.sources] == ["orders"] and "p" not in plan.sources[0].columns


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (changed("AS OF o.p", "AS OF o.shop"), f"{ATTRIBUTE}o.shop is INT. Add a column AS PROCTIME()"),
        (changed("AS OF o.p", "AS OF PROCTIME()"), f"{ATTRIBUTE}PROCTIME() is no column"),
        (changed("AS OF o.p", "AS OF o.q"), "there is no column 'q'"),
        (changed("JOIN", "FULL JOIN"), "only support INNER JOIN and LEFT JOIN, but was FULL JOIN"),
        (changed("o.shop = s.id", "o.shop > s.id"), "requires an equality condition on fields of table [shops]"),
        (changed("o.shop = s.id", "o.shop = s.id + 1"), "requires an equality condition on fields of table [shops]"),
        (changed("s.id", "s.idd"), "there is no column 'idd'"),
        (changed("JOIN shops", "JOIN shop"), "there is no table 'shop'; did you mean 'shops'?"),
        (changed("JOIN shops", "JOIN big"), "FOR SYSTEM_TIME AS OF wants a table, and 'big' is a view"),
        (changed("JOIN shops", "JOIN live"), "table 'live': 'source.monitor-interval' is of a table that is read row"),
        (changed("JOIN shops", "JOIN changes"), "'format' = 'debezium-json': not there yet; use csv, json or parquet"),
        (changed("JOIN shops", "JOIN topic"), "table 'topic': connector 'kafka' can't be looked up"),
        (changed("orders AS o", "(SELECT *, x FROM orders) AS o"), "there is no column 'x'"),
        (changed("orders AS o", "keyed AS o").replace("o.shop", "o.id"), "a lookup join of rows that change"),
        (changed("orders AS o", f"({COUNTED.format('ts')}) AS o"), "o.p is BIGINT"),
        (FORM.replace("orders AS o", f"({TIMED.format(COUNTED.format('p'))}) AS o"),
         "PROCTIME() above windows over processing time: not there yet"),
        (FORM.replace("orders AS o", f"({TIMED.format(JOINED)}) AS o"),
         "PROCTIME above a window or a join: not there yet"),
        ("SELECT * FROM shops FOR SYSTEM_TIME AS OF p", "belongs to the right side of a join"),
        (FORM.replace("AS s", ""), "there is no table or column 's' here"),
        (f"{FORM} JOIN shops /*+ OPTIONS('path'='x') */ FOR SYSTEM_TIME AS OF o.p t ON t.id = 1",
         "reading 'shops' twice with different OPTIONS"),
    ],
)  # fmt: skip
def test_what_is_wrong(query: str, said: str) -> None:
    with pytest.raises(InputError) as wrong:
        planned(query)
    assert said in str(wrong.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (", 'lookup.cache' = 'most'", "option 'lookup.cache': 'most' is none of 'none', 'partial', 'full'"),
        (", 'lookup.backfil' = 'newest'", "there is no option 'lookup.backfil'; did you mean 'lookup.backfill'?"),
        (
            ", 'lookup.full-cache.timed-reload.iso-time' = '10:15Z'",
            "write 'lookup.full-cache.periodic-reload.interval'",
        ),
    ],
)
def test_options_that_are_wrong(options: str, said: str) -> None:
    with pytest.raises(InputError) as wrong:
        planned(FORM, options)
    assert said in str(wrong.value)


def test_what_a_plan_says() -> None:
    described = describe(
        planned(FORM, ", 'lookup.cache' = 'PARTIAL', 'lookup.partial-cache.expire-after-write' = '5 min'")
    )
    (dimension,) = described["dimensions"]
    older = describe(planned(FORM, ", 'lookup.cache.max-rows' = '500', 'lookup.cache.ttl' = '5 min'"))
    assert older["dimensions"] == [dimension]
    assert dimension["name"] == "shops" and dimension["new_versions"] == "looked for every 5 minutes"
    (step,) = [one for one in described["inserts"][0]["steps"] if one["does"] == "lookup join"]
    assert step["of"] == ["orders AS o", "shops AS s"] and step["as_of"] == "o.p"
    lineage = lineage_of(planned(FORM))
    assert [one.name for one in lineage.sources] == ["orders", "shops"]
    assert lineage.results[0].origins["region"] == (("shops", "region"),)


def test_the_fingerprint() -> None:
    """It has the table and the columns that are read. When the stream looks, and what a backfill uses, is no part."""
    facts = fingerprint(planned(FORM))
    assert facts["dimension shops, column region"] == "STRING" and "dimension shops, option path" in facts
    free = ", 'lookup.cache' = 'FULL', 'lookup.backfill' = 'newest', 'lookup.max-retries' = '3'"
    assert fingerprint(planned(FORM, free)) == facts
    assert fingerprint(planned(changed("s.*", "s.region"))) != facts
    assert fingerprint(planned(changed("AS OF o.p", "AS OF o.p") + " AND s.region = 'a'")) != facts


def test_a_dimension_of_a_connection() -> None:
    jdbc = "'connector' = 'jdbc', 'connection' = 'db', 'table-name' = 'shops'"
    tables = TABLES.replace("'connector' = 'filesystem', 'path' = 'shops', 'format' = 'csv'OPTIONS", jdbc)
    tables = tables.replace("CREATE VIEW big AS SELECT * FROM shops;", "")
    sink = "CREATE TABLE out (id BIGINT, shop INT, region STRING, owner STRING) WITH ('connector' = 'print');"
    known = {"conn:db.conn_type": "postgres", "conn:db.host": "there", "conn:db.schema": "app"}
    plan = plan_script(f"{tables}{sink} INSERT INTO out {FORM};", known, "r", Path("/"))
    (lookup,) = plan.lookups
    assert lookup.table.options["url"] == "jdbc:postgresql://there:5432/app"
