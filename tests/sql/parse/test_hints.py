"""Hints after SELECT change no result: they are taken and named. What Flink refuses of them is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.describe.without_effect import without_effect
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.planner import plan_report

TABLES = """
SET 'table.exec.state.unbounded' = 'allow';
CREATE TABLE o (id INT, v STRING) WITH ('connector' = 'filesystem', 'path' = 'o', 'format' = 'json');
CREATE TABLE c (id INT) WITH ('connector' = 'filesystem', 'path' = 'c', 'format' = 'json');
CREATE TABLE r (id INT) WITH ('connector' = 'filesystem', 'path' = 'r', 'format' = 'json');
"""


def planned(hint: str, before: str = "") -> Plan:
    query = f"INSERT INTO r SELECT {hint} o.id FROM o JOIN c ON o.id = c.id;"
    return plan_report(f"{TABLES}{before}{query}", "r", Path("/data"))


@pytest.mark.parametrize(
    ("hint", "names"),
    {
        "BROADCAST(c)": ["BROADCAST(c)"],
        "shuffle_hash(c, o)": ["SHUFFLE_HASH(c, o)"],
        "SHUFFLE_MERGE(c), NEST_LOOP(o)": ["SHUFFLE_MERGE(c)", "NEST_LOOP(o)"],
        "STATE_TTL('o' = '1d', 'c' = '2 h')": ["STATE_TTL('o' = '1d', 'c' = '2 h')"],
        "LOOKUP('table'='c', 'retry-strategy'='fixed_delay')": ["LOOKUP('table'='c', 'retry-strategy'='fixed_delay')"],
        "OPTIONS('k' = 'it''s')": ["OPTIONS('k' = 'it''s')"],
    }.items(),
)
def test_a_hint_has_no_effect(hint: str, names: list[str]) -> None:
    plan = planned(f"/*+ {hint} */")
    assert list(without_effect(plan)) == [f"hint {name!r}" for name in names]
    assert (plan.inserts, plan.updating) == (planned("").inserts, planned("").updating)


def test_a_hint_of_a_view_counts_where_it_is_read() -> None:
    unread = "CREATE VIEW u AS SELECT /*+ BROADCAST(c) */ id FROM c;"
    assert without_effect(planned("", unread)) == {}


@pytest.mark.parametrize(
    ("hint", "message"),
    {
        "BROADCST(c)": "there is no hint BROADCST; did you mean 'BROADCAST'?",
        "BROADCAST": "the hint BROADCAST names nothing: write BROADCAST(…)",
        "STATE_TTL(o)": "in STATE_TTL(…) write 'key'='value', with commas between",
        "STATE_TTL('o' = 'long')": "STATE_TTL of 'o': 'long' is not a duration: write for example '10 min'",
        "BROADCAST(c": "this hint can't be read from '(c' on",
    }.items(),
)
def test_refused(hint: str, message: str) -> None:
    with pytest.raises(SqlError) as refused:
        planned(f"/*+ {hint} */")
    assert message in str(refused.value)
    assert (refused.value.at.line, refused.value.at.column) == (6, 22)
