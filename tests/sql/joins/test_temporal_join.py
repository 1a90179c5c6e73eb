"""Event-time temporal joins as they are planned: what is a versioned table, Flink's refusals, and what a plan says."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.description import describe
from airflow_nrt.describe.lineage import lineage_of
from airflow_nrt.home.identity.fingerprint import fingerprint
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import load_report
from airflow_nrt.sql.planner import plan_query

FILES = "WITH ('connector' = 'filesystem', 'path' = 'there', 'format' = '{}')"
RATE = "cur STRING, rate DECIMAL(10, 4), seg INT, ts TIMESTAMP(3)"
TABLES = f"""
CREATE TABLE trades (id INT, k STRING, seg INT, ts TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR ts AS ts)
{FILES.format("csv")};
CREATE TABLE instants (id INT, k STRING, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) {FILES.format("csv")};
CREATE TABLE changes (id INT, k STRING, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED, WATERMARK FOR ts AS ts)
{FILES.format("csv")};
CREATE TABLE rates ({RATE}, PRIMARY KEY (cur) NOT ENFORCED, WATERMARK FOR ts AS ts) {FILES.format("debezium-json")};
CREATE TABLE prices ({RATE}, PRIMARY KEY (cur, seg) NOT ENFORCED, WATERMARK FOR ts AS ts) {FILES.format("csv")};
CREATE TABLE numbers (cur BIGINT PRIMARY KEY NOT ENFORCED, ts TIMESTAMP(0), WATERMARK FOR ts AS ts)
{FILES.format("csv")};
CREATE TABLE nested (cur STRING, rate INT, event ROW<ts TIMESTAMP(3)>, m MAP<STRING, INT>,
    PRIMARY KEY (cur) NOT ENFORCED, WATERMARK FOR event.ts AS event.ts) {FILES.format("json")};
CREATE TABLE topic (cur STRING, rate INT, at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp', PRIMARY KEY (cur) NOT ENFORCED,
    WATERMARK FOR at AS at)
WITH ('connector' = 'upsert-kafka', 'topic' = 't', 'key.format' = 'json', 'value.format' = 'json',
    'properties.bootstrap.servers' = 'there:9092');
CREATE TABLE keyless ({RATE}, WATERMARK FOR ts AS ts) {FILES.format("csv")};
CREATE TABLE timeless ({RATE}, PRIMARY KEY (cur) NOT ENFORCED) {FILES.format("debezium-json")};
CREATE TABLE nested_rows (cur STRING, event ROW<ts TIMESTAMP(3)>, WATERMARK FOR event.ts AS event.ts)
{FILES.format("json")};
CREATE VIEW plain AS SELECT * FROM keyless;
CREATE VIEW last_rates AS SELECT cur, rate, ts FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY ts DESC) AS n FROM keyless WHERE rate > 0) WHERE n = 1;
CREATE VIEW qualified AS SELECT * FROM keyless
    QUALIFY ROW_NUMBER() OVER (PARTITION BY cur, seg ORDER BY ts DESC) = 1;
"""
FORM = "SELECT t.id, r.rate FROM trades AS t JOIN rates FOR SYSTEM_TIME AS OF t.ts AS r ON t.k = r.cur"
LAST = "SELECT {} FROM (SELECT {}, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS n FROM keyless) WHERE {}"


def planned(query: str, view: str = "") -> Plan:
    return plan_query(f"{TABLES}{view}", query, Path("/"))


def changed(*changes: tuple[str, str], query: str = FORM) -> str:
    for old, new in changes:
        assert old in query
        query = query.replace(old, new)
    return query


@pytest.mark.parametrize(
    ("query", "partition", "columns"),
    [
        (FORM, "cur", ("cur", "rate", "ts")),
        (changed(("r.rate", "r.*"), ("JOIN", "LEFT JOIN")), "cur", ("cur", "rate", "seg", "ts")),
        (changed(("t.k = r.cur", "UPPER(t.k) = r.cur AND t.seg > r.seg")), "cur", ("cur", "rate", "seg", "ts")),
        (changed(("JOIN rates", ", rates"), ("ON", "WHERE")), "cur", ("cur", "rate", "ts")),
        (changed(("ON t.k = r.cur", "USING (cur)"), ("trades AS t", "(SELECT id, k AS cur, ts FROM trades) AS t")),
         "cur", ("cur", "rate", "ts")),
        (changed(("rates", "prices"), ("r.cur", "r.cur AND r.seg = t.seg")), "cur, seg", ("cur", "rate", "seg", "ts")),
        (changed(("rates", "numbers"), ("t.k", "t.id"), ("r.rate", "r.cur")), "cur", ("cur", "ts")),
        (changed(("rates", "nested")), "cur", ("cur", "rate", "event")),
        ("SELECT a.cur, r.rate FROM nested_rows a JOIN rates FOR SYSTEM_TIME AS OF a.event.ts r ON a.cur = r.cur",
         "cur", ("cur", "rate", "ts")),
        (changed(("rates", "topic"), ("trades", "instants")), "cur", ("cur", "rate", "at")),
        (changed(("rates", "last_rates")), "cur", ("cur", "rate", "ts")),
        (changed(("rates", "qualified"), ("r.cur", "r.cur AND r.seg = t.seg")),
         "cur, seg", ("cur", "rate", "seg", "ts")),
        ("SELECT a.cur, b.rate FROM keyless a JOIN prices FOR SYSTEM_TIME AS OF a.ts b "
         "ON a.cur = b.cur AND a.seg = b.seg", "cur, seg", ("cur", "rate", "seg", "ts")),
    ],
)  # fmt: skip
def test_the_versions_of_a_key(query: str, partition: str, columns: tuple[str, ...]) -> None:
    plan = planned(query)
    (operator,) = plan.operators
    assert ", ".join(operator.written.of(name) or "" for name in operator.partition) == partition
    assert plan.sources[1].columns == columns
    assert not plan.updating and not plan.lookups


NO_KEY = "Temporal Table Join requires primary key in versioned table, but no primary key can be found"
NO_TIME = (
    "Event-Time Temporal Table Join requires both primary key and row time attribute in versioned table, but no row "
    "time attribute can be found"
)
OTHER_VIEW = "FOR SYSTEM_TIME AS OF a view that is not the last row of each key: not there yet"


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (changed(("rates", "keyless")), f"{NO_KEY}: declare PRIMARY KEY (…) NOT ENFORCED in 'keyless'"),
        (changed(("rates", "timeless")), f"{NO_TIME}: declare WATERMARK FOR … in 'timeless'"),
        (changed(("t.k = r.cur", "t.k > r.cur")), "Currently the join key in Temporal Table Join can not be empty."),
        (changed(("t.k = r.cur", "'EUR' = r.cur")), "Currently the join key in Temporal Table Join can not be empty."),
        (changed(("t.k = r.cur", "t.seg = r.seg")), "Temporal table's primary key [cur] must be included"),
        (changed(("rates", "prices")), "Temporal table's primary key [cur, seg] must be included in the equivalence "
         "condition of temporal join: add AND … = r.seg to ON"),
        (changed(("trades", "instants")), "requires same rowtime type in left table and versioned table, but the "
         "rowtime types are TIMESTAMP_LTZ(3) *ROWTIME* and TIMESTAMP(3) *ROWTIME*."),
        (changed(("t.k = r.cur", "t.id = r.cur")), "'=' can't compare INT and STRING"),
        (changed(("JOIN", "RIGHT JOIN")), "only support INNER JOIN and LEFT JOIN, but was RIGHT JOIN."),
        (changed(("JOIN", "FULL JOIN")), "only support INNER JOIN and LEFT JOIN, but was FULL JOIN."),
        (changed(("OF t.ts", "OF t.ts - INTERVAL '1' HOUR")), "left table's time attribute field: t.ts - INTERVAL"),
        (changed(("OF t.ts", "OF t.id")), "left table's time attribute field: t.id is INT. Add a column AS PROCTIME()"),
        (changed(("rates", "plain")), OTHER_VIEW),
        (changed(("rates", "nowhere")), "there is no table 'nowhere'"),
        (changed(("rates", "nested"), ("r.rate", "r.m")), "a MAP among the columns of a version (m): not there yet"),
        (FORM + " LEFT JOIN prices FOR SYSTEM_TIME AS OF t.ts AS p ON p.cur = r.cur AND p.seg = r.seg",
         "a temporal join whose key p.cur comes from the versions of another one: not there yet"),
        (FORM + " JOIN prices FOR SYSTEM_TIME AS OF t.p AS p ON p.cur = t.k",
         "a lookup join after an event-time temporal join: not there yet; write the lookup join first"),
        (changed(("ON t.k = r.cur", "USING (cur)"), ("trades AS t", "(SELECT id, k AS cur, ts FROM trades) AS t"))
         + " JOIN prices FOR SYSTEM_TIME AS OF t.ts AS p ON p.cur = t.cur AND p.seg = t.id",
         "USING and NATURAL below another temporal join: not there yet; write ON"),
        (changed(("trades", "changes")), "an event-time temporal join of rows that change"),
        (changed(("FROM trades AS t", "FROM (SELECT id, k, window_time AS ts FROM TABLE(TUMBLE(TABLE trades, "
                  "DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY id, k, window_start, window_end, window_time) AS t")),
         "an event-time temporal join above a window, a join or OVER: not there yet"),
        (changed(("t.id, r.rate", "*"), ("FROM trades AS t", "FROM TABLE(TUMBLE(TABLE trades, DESCRIPTOR(ts), INTERVAL "
                  "'1' HOUR)) AS t")), "left table's time attribute field"),
    ],
)  # fmt: skip
def test_what_is_refused(query: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        planned(query)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "query",
    [
        LAST.format("*", "*", "cur", "ts", "n = 1"),
        LAST.format("*", "*", "cur", "ts DESC", "n <= 2"),
        LAST.format("*", "*", "cur", "ts DESC", "n = 1 AND rate > 2"),
        LAST.format("*", "*", "cur", "ts DESC, rate", "n = 1"),
        LAST.format("*", "*", "UPPER(cur)", "ts DESC", "n = 1"),
        LAST.format("rate, ts", "*", "cur", "ts DESC", "n = 1"),
        LAST.format("cur, ts, rate", "UPPER(cur) AS cur, ts, rate", "cur", "ts DESC", "n = 1"),
        "SELECT DISTINCT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY cur ORDER BY ts DESC) AS n FROM keyless) "
        "WHERE n = 1",
        "SELECT cur, MAX(rate) AS rate, MAX(ts) AS ts FROM keyless GROUP BY cur",
    ],
)
def test_views_of_other_rows_than_the_last_are_refused(query: str) -> None:
    with pytest.raises(InputError, match=OTHER_VIEW):
        planned(changed(("rates", "other")), f"CREATE VIEW other AS {query};")


@pytest.mark.parametrize(
    ("view", "message"),
    [
        (
            f"(cur, rate, ts) AS {LAST.format('cur, rate, ts', '*', 'cur', 'ts DESC', 'n = 1')}",
            "that renames its columns",
        ),
        (f"AS {LAST.format('*', '*', 'cur', 'ts DESC', 'n = 1').replace('keyless', 'rates')}", "whose rows change"),
    ],
)
def test_views_of_last_rows_that_are_refused(view: str, message: str) -> None:
    with pytest.raises(InputError, match=f"FOR SYSTEM_TIME AS OF a view {message}: not there yet"):
        planned(changed(("JOIN rates", "JOIN other")), f"CREATE VIEW other {view};")


def test_a_view_orders_by_the_rowtime(tmp_path: Path) -> None:
    view = LAST.format("cur, rate, seg", "*", "cur", "seg DESC", "n = 1")
    with pytest.raises(InputError, match="no row time attribute can be found"):
        planned(changed(("rates", "other")), f"CREATE VIEW other AS {view};")


def test_what_a_plan_says() -> None:
    plan = planned(changed(("JOIN", "LEFT JOIN")))
    described = describe(plan)
    (operator,) = described["operators"]
    assert operator["partition"] == ["cur"] and operator["rows_of"] == ["id INT", "k STRING"]
    assert operator["stored"] == [
        "rows and versions that the watermark has not reached",
        "one version of each key of each table",
    ]
    (step,) = described["inserts"][0]["steps"]
    assert (step["does"], step["of"], step["as_of"]) == ("temporal join", ["trades AS t", "rates AS r"], "t.ts")
    origins = lineage_of(plan).results[0].origins
    assert origins["id"] == (("trades", "id"),)
    assert ("rates", "rate") in origins["rate"] and ("trades", "id") not in origins["rate"]
    facts = fingerprint(plan)
    assert facts != fingerprint(planned(FORM))


def test_a_versioned_table_whose_declaration_is_wrong_is_reported_once(tmp_path: Path) -> None:
    script = tmp_path / "report.sql"
    wrong = TABLES.replace("CREATE TABLE rates (cur STRING", "CREATE TABLE rates (cur STRINK")
    assert wrong != TABLES
    script.write_text(f"{wrong} CREATE TABLE o (id INT, rate INT) WITH ('connector' = 'print'); INSERT INTO o {FORM};")
    with pytest.raises(InputError, match="there is no type STRINK") as refused:
        load_report(script, {})
    assert str(refused.value).count("line") == 1


def test_joins_of_one_row_are_one_operator() -> None:
    chain = FORM.replace("r.rate", "r.rate, p.rate, t.n") + (
        " LEFT JOIN prices FOR SYSTEM_TIME AS OF t.ts AS p ON p.cur = t.k AND p.seg = t.seg AND p.rate > r.rate"
    )
    below = "(SELECT a.*, b.seg AS n FROM trades a JOIN prices FOR SYSTEM_TIME AS OF a.p AS b ON b.seg = a.seg) AS t"
    plan = planned(chain.replace("trades AS t", below))
    (operator,) = plan.operators
    assert [one.text for one in operator.versions] == ["the version of rates", "the version of prices"]
    assert [len(frame.partition) for frame in operator.frames] == [1, 2]
    assert operator.clock == ("trades", "rates", "prices") and [one.name for one in plan.lookups] == ["prices"]


@pytest.mark.parametrize("window", ["TUMBLE(ts, INTERVAL '1' HOUR)", "SESSION(ts, INTERVAL '1' HOUR)"])
def test_the_rowtime_of_the_left_side_stays_a_time_attribute(window: str) -> None:
    joined = changed(("t.id, r.rate", "t.id, t.ts, r.rate, r.ts AS since"))
    plan = planned(f"SELECT COUNT(rate) FROM ({joined}) GROUP BY {window}")
    assert [one.window.kind for one in plan.operators] == ["OVER", window[: window.index("(")]]
    with pytest.raises(InputError, match="requires the timecol is a time attribute type"):
        planned(f"SELECT COUNT(rate) FROM ({joined}) GROUP BY {window.replace('ts', 'since')}")
