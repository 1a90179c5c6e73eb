"""The timing that a sink or an INSERT asks for: what it makes of the plan, and what is refused with its reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.description import describe
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.result_timing import OutputOptions, Rows
from airflow_nrt.sql.load import plan_script
from airflow_nrt.sql.planner import plan_query

TABLES = """
CREATE TABLE events (shop INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'json', 'source.monitor-interval' = '1 s');
CREATE TABLE counts (shop INT, e TIMESTAMP(3), n BIGINT, state STRING{key})
WITH ('connector' = 'filesystem', 'path' = '/out', 'format' = 'json'{options});
"""
KEY = ", PRIMARY KEY (shop, e) NOT ENFORCED"
TUMBLE = "SELECT shop, window_end, COUNT(*), 'x' FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY shop, window_start, window_end"  # noqa: E501
EARLY = {"first-result": "-15 min"}


def planned(options: dict[str, str] | None = None, query: str = TUMBLE, key: str = KEY, hint: str = "") -> Plan:
    text = "".join(f", '{name}' = '{value}'" for name, value in (options or {}).items())
    tables = TABLES.replace("{key}", key).replace("{options}", text)
    if query is GROUPS:
        tables = tables.replace("'filesystem', 'path' = '/out', 'format' = 'json'", "'print'")
    return plan_script(f"{tables} INSERT INTO counts {hint} {query};", {}, "report", Path("/"))


def test_options_of_the_sink_and_hints_of_the_insert() -> None:
    options = {**EARLY, "complete-result": "5 min", "update-rate": "count(100)", "late-updates": "on"}
    timing = planned({**options, "last-result": "+15 min"}).inserts[0].timing
    assert timing == OutputOptions(-15 * MINUTE, 5 * MINUTE, Rows(100), True, 15 * MINUTE)
    hint = OutputOptions(first_result=-30 * MINUTE, update_rate=3 * MINUTE).hint()
    assert planned(options={"last-result": "0"}, hint=hint).inserts[0].timing == OutputOptions(
        -30 * MINUTE, 0, 3 * MINUTE, last_result=0
    )


def test_inserts_of_one_timing_share_operators() -> None:
    """State is kept as long as the last result needs it; for how long is all that an operator has to know."""
    late = OutputOptions(complete_result=5 * MINUTE).hint()
    early = OutputOptions(first_result=-5 * MINUTE, complete_result=5 * MINUTE).hint()
    tables = TABLES.replace("{key}", KEY).replace("{options}", "")
    tables += "".join(f"CREATE TABLE counts{n} WITH ('path' = '/out{n}') LIKE counts;" for n in range(3))
    inserts = [f"INSERT INTO counts{n} {hint} {TUMBLE};" for n, hint in enumerate((late, early, ""))]
    plan = plan_script("\n".join([tables, *inserts]), {}, "report", Path("/"))
    assert [(one.operators, one.timing.publishes_once) for one in plan.inserts] == [
        (("w1",), True), (("w1",), False), (("w2",), True)
    ]  # fmt: skip
    assert [one.delay for one in plan.operators] == [5 * MINUTE, 0]


def test_the_plan_says_the_timing() -> None:
    options = {**EARLY, "update-rate": "3 min", "late-updates": "on", "last-result": "15 min", "result-state": "state"}
    described = describe(planned(options, TUMBLE.replace(", 'x'", "")))
    assert described["inserts"][0]["timing"] == {
        "first_result": "15 minutes before the end of a window",
        "update_rate": "every 3 minutes",
        "complete_result": "when the watermark reaches the end of a window",
        "late_updates": "each batch that brings late rows",
        "last_result": "15 minutes after the end of a window: then state is dropped, "
        "later rows only reach the late ledger",
        "result_state": "column state",
    }
    assert described["operators"][0]["delay"] == "its watermark lags 15 minutes"
    assert "timing" in describe(planned())["inserts"][0] and not describe(planned())["inserts"][0]["timing"]


PROCTIME = TUMBLE.replace("DESCRIPTOR(ts)", "DESCRIPTOR(pt)")
SESSION = TUMBLE.replace("TUMBLE", "SESSION")
GROUPS = "SELECT shop, CAST(NULL AS TIMESTAMP(3)), COUNT(*), 'x' FROM events GROUP BY shop"
CASCADE = "SELECT CAST(1 AS INT), window_end, COUNT(*), 'x' FROM TABLE(TUMBLE((SELECT window_time AS t FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end, window_time), DESCRIPTOR(t), INTERVAL '1' HOUR)) GROUP BY window_start, window_end"  # noqa: E501


@pytest.mark.parametrize(
    "options, given, message",
    [
        ({"first-result": "1 min"}, {}, "'first-result' +1 minute is after 'complete-result' 0 seconds"),
        ({"complete-result": "2 min", "last-result": "1 min"}, {}, "'last-result' +1 minute is before"),
        ({"update-rate": "3 min"}, {}, "'update-rate' needs a 'first-result'"),
        ({"late-updates": "on"}, {}, "'late-updates' need a 'last-result' after"),
        ({"last-result": "1 min"}, {}, "'last-result' +1 minute says until when late rows change results, and none do"),
        ({"late-updates": "off", "last-result": "1 min"}, {}, "set 'late-updates' = 'on', or leave it out"),
        (EARLY, {"key": ""}, "it takes no early results and no late updates. Declare PRIMARY KEY"),
        ({"late-updates": "on", "last-result": "1 min"}, {"key": ""}, "has no PRIMARY KEY"),
        (EARLY, {"key": ", PRIMARY KEY (shop) NOT ENFORCED"}, "add the column that holds window_start"),
        ({"first-result": "soon"}, {}, "'soon' is not a duration"),
        ({"update-rate": "count(0)"}, {}, "neither a duration ('3 min') nor a number of rows ('count(100)')"),
        ({"late-updates": "maybe"}, {}, "'maybe' is neither 'on' nor 'off'"),
        ({"frist-result": "0"}, {}, "there is no option 'frist-result'; did you mean 'first-result'?"),
        ({"result-state": "mood"}, {}, "has no column 'mood' for 'result-state'"),
        ({"result-state": "n"}, {}, "column 'n' for 'result-state' must be a STRING"),
        ({"result-state": "state"}, {}, "the query has 4 columns (shop, window_end, EXPR$2, EXPR$3)"),
        ({"complete-result": "1 min"}, {"query": PROCTIME}, "'complete-result' is for event time only"),
        ({"complete-result": "1 min"}, {"query": "SELECT shop, ts, CAST(1 AS BIGINT), 'x' FROM events"}, "These rows are published as they arrive"),  # noqa: E501
        (EARLY, {"query": GROUPS}, "results that are never complete have no timing but 'update-rate'"),
        (EARLY, {"query": SESSION.replace("(ts)", "(pt)")}, "early results of SESSION over processing time"),
        (EARLY, {"query": SESSION, "key": f"{KEY}) PARTITIONED BY (shop"}, "several results of SESSION in a part"),
        (EARLY, {"query": CASCADE}, "early results and late updates of windows over the results of windows"),
    ],
)  # fmt: skip
def test_what_is_refused(options: dict[str, str], given: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as wrong:
        planned(options, **given)
    assert message in str(wrong.value)


@pytest.mark.parametrize("name", OutputOptions(-1, 0, 1, True, 1, "state").written())
def test_what_is_read_has_no_timing(name: str) -> None:
    """A table that the script writes, too, has it as a sink."""
    value = {"late-updates": "on", "result-state": "shop"}.get(name, "1 min")
    tables = TABLES.replace("{key}", "").replace("{options}", "")
    message = f"table 'events' is read here, and '{name}' says when results are published"
    hint = f"/*+ OPTIONS('{name}' = '{value}') */"
    with pytest.raises(InputError, match=message):
        plan_script(f"{tables} INSERT INTO counts {TUMBLE.replace('events', f'events {hint}')};", {}, "r", Path("/"))
    timed = tables.replace("'source.monitor-interval'", f"'{name}' = '{value}', 'source.monitor-interval'")
    with pytest.raises(InputError, match=message):
        plan_script(f"{timed} INSERT INTO counts {TUMBLE};", {}, "r", Path("/"))
    plan_query(timed, "SELECT shop FROM events", Path("/"))


def test_a_table_that_is_written_and_read_has_timing() -> None:
    tables = TABLES.replace("{key}", KEY).replace("{options}", ", 'first-result' = '-15 min'")
    again = "CREATE TABLE shops (shop INT) WITH ('connector' = 'print'); INSERT INTO shops SELECT shop FROM counts;"
    plan = plan_script(f"{tables} {again} INSERT INTO counts {TUMBLE};", {}, "r", Path("/"))
    assert [one.timing.is_early for one in plan.inserts] == [False, True]


JOIN = "SELECT l.shop, l.ts, CAST(1 AS BIGINT), 'x' FROM events l {} JOIN events r ON l.shop = r.shop AND l.ts BETWEEN r.ts AND r.ts + INTERVAL '1' HOUR"  # noqa: E501


def test_what_is_taken_back_has_an_update_rate() -> None:
    """The pairs of an inner join are only added."""
    tables = TABLES.replace("{key}", "").replace("'filesystem', 'path' = '/out', 'format' = 'json'{options}", "'print'")
    insert = f"{tables} INSERT INTO counts /*+ OPTIONS('update-rate' = '1 min') */ {JOIN};"
    plan = plan_script(insert.format("LEFT"), {}, "report", Path("/"))
    assert plan.inserts[0].timing == OutputOptions(update_rate=MINUTE)
    with pytest.raises(InputError, match="These rows are published as they arrive"):
        plan_script(insert.format("INNER"), {}, "report", Path("/"))


def test_a_complete_result_that_waits_is_for_any_sink() -> None:
    assert planned({"complete-result": "5 min"}, CASCADE, key="").operators[-1].delay == 5 * MINUTE
    assert planned({"complete-result": "5 min"}, key="").inserts[0].timing.publishes_once


def test_the_older_form_of_windows() -> None:
    """The example of hourly temperatures: the first result 15 minutes early, kept up for 15 minutes after the end."""
    timing = OutputOptions(-15 * MINUTE, 5 * MINUTE, 3 * MINUTE, late_updates=True, last_result=15 * MINUTE)
    script = f"""
    CREATE TABLE sensors (id BIGINT, loc STRING, stime TIMESTAMP(3), temp DOUBLE, WATERMARK FOR stime AS stime)
    WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'json');
    CREATE TABLE avgRoomTemp (id BIGINT, atime TIMESTAMP(3), temp DOUBLE, PRIMARY KEY (id, atime) NOT ENFORCED)
    WITH ('connector' = 'filesystem', 'path' = '/out', 'format' = 'json');
    INSERT INTO avgRoomTemp {timing.hint()}
    SELECT id, TUMBLE_START(stime, INTERVAL '1' HOUR) AS atime, AVG(temp) FROM sensors WHERE loc LIKE 'room%'
    GROUP BY id, TUMBLE(stime, INTERVAL '1' HOUR);"""
    plan = plan_script(script, {}, "report", Path("/"))
    assert plan.inserts[0].timing == timing
    assert plan.operators[0].delay == 15 * MINUTE
