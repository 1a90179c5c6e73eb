"""First rows below a window: what of their keys is kept, and what needs consent."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.describe.description import describe
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError
from tests.engine.reports import DAY, curve_insert, events_table, plan_of

COUNT = {"n": ("BIGINT", "COUNT(*)")}
LIVE = {"source__monitor_interval": "1 s"}


def plan(place: Path, partition: str, live: bool, setting: str = "") -> Plan:
    view = f"""CREATE VIEW firsts AS SELECT shop, ts FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY {partition} ORDER BY ts) AS n FROM events) WHERE n = 1;"""
    table = events_table(**(LIVE if live else {}))
    return plan_of(place, setting, table, view, curve_insert("TUMBLE(INTERVAL '1' HOUR)", COUNT, source="firsts"))


@pytest.mark.parametrize(
    ("partition", "period"),
    [
        ("user_id, CAST(ts AS DATE)", "1 day"),
        ("DATE_FORMAT(ts, 'yyyy-MM-dd'), user_id", "1 day"),
        ("user_id, DATE_FORMAT(ts, 'yyyyMMddHH')", "1 hour"),
        ("user_id, DATE_FORMAT(ts, 'yyyy-MM')", "1 month"),
        ("user_id, FLOOR(ts TO HOUR)", "1 hour"),
        ("user_id, FLOOR(ts TO WEEK)", "7 days"),
        ("user_id, FLOOR(ts TO QUARTER)", "3 months"),
        ("user_id, YEAR(ts)", "1 year"),
        ("user_id, DATE_FORMAT(ts, 'HH')", None),
        ("user_id, DATE_FORMAT(ts, 'dd-MM-yyyy')", None),
        ("user_id, MONTH(ts)", None),
        ("user_id", None),
    ],
)
def test_a_live_report_forgets_keys_with_their_day_or_asks(tmp_path: Path, partition: str, period: str | None) -> None:
    made = plan(tmp_path, partition, live=False)
    counts = made.operators[0]
    assert [frame.growing for frame in counts.frames] == [period is not None]
    bound = next(one["bounded_by"] for one in describe(made)["operators"] if one["name"] == counts.name)
    if period is not None:
        assert bound == f"the keys of the rows of one {period}: these are forgotten with it"
        assert plan(tmp_path, partition, live=True).operators[0] == counts
        return
    with pytest.raises(SqlError, match=r"ROW_NUMBER below a window keeps every key for ever: add CAST\(ts AS DATE\)"):
        plan(tmp_path, partition, live=True)
    allowed = plan(tmp_path, partition, live=True, setting="SET 'table.exec.state.unbounded' = 'allow';")
    assert allowed.operators[0] == counts


TTL = "SET 'table.exec.state.ttl' = '30 d';"


def test_a_ttl_stands_for_consent(tmp_path: Path) -> None:
    """Of the settings alone, and if a WHERE says how many rows of a key are needed."""
    with pytest.raises(SqlError, match=r"or SET 'table.exec.state.ttl' = '30 d', so that a key .* put WHERE n <= …"):
        plan(tmp_path, "user_id", live=True)
    counts = plan(tmp_path, "user_id", live=True, setting=TTL).operators[0]
    assert [(frame.low, frame.idle, counts.strict) for frame in counts.frames] == [(1, 30 * DAY, True)]
    view = """CREATE VIEW all_rows AS SELECT shop, ts FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts) AS n FROM events) WHERE {};"""
    for where in ("n > 0", "n = shop"):
        window = curve_insert("TUMBLE(INTERVAL '1' HOUR)", COUNT, source="all_rows")
        with pytest.raises(SqlError, match=r"keeps every key for ever: .* put WHERE n <= …"):
            plan_of(tmp_path, TTL, events_table(**LIVE), view.format(where), window)


def test_without_a_window_the_ranking_changes_as_rows_arrive(tmp_path: Path) -> None:
    query = """SELECT user_id, id FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY user_id ORDER BY ts) AS n FROM events) WHERE n = 1"""
    table = """CREATE TABLE firsts (user_id INT, id BIGINT, PRIMARY KEY (user_id) NOT ENFORCED)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/firsts', 'format' = 'debezium-json');"""
    made = plan_of(tmp_path, events_table(), table, f"INSERT INTO firsts {query};")
    assert made.updating and not made.operators
