"""By which number the next rows of a source are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.home.log.entries import SourceState
from airflow_nrt.home.log.history.row_semantics import mixes_entries, with_next_semantics
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.row_semantics import AS_IN_FLINK, FULL_FRACTIONS, ROW_SEMANTICS, differs, texts
from airflow_nrt.sql.planner import plan_query

PLAIN, CHANGES = "'format' = 'json'", "'format' = 'debezium-json'"
LINES = "s STRING, n AS JSON_VALUE(s, '$.n'), ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
HOURS = "FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end"


def plan(columns: str, options: str = PLAIN, query: str = "SELECT * FROM t") -> Plan:
    options = f"'connector' = 'filesystem', 'path' = 't', {options}"
    return plan_query(f"CREATE TABLE t ({columns}) WITH ({options});", query, Path("/"))


def number_after(report: Plan, before: SourceState) -> int:
    return with_next_semantics(report, {"t": before})["t"].row_semantics


@pytest.mark.parametrize(
    ("columns", "options", "keeps"),
    [
        ("id INT, ts TIMESTAMP(3)", PLAIN, False),
        ("id INT, ts TIMESTAMP(3)", CHANGES, True),
        ("id INT, ts TIMESTAMP(6)", CHANGES, False),
        ("id INT, r ROW<ts TIMESTAMP_LTZ(0)>", CHANGES, True),
        ("id INT, ts TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED", CHANGES, False),
        ("id INT, ts TIMESTAMP(3), PRIMARY KEY (ts) NOT ENFORCED", CHANGES, True),
    ],
)
def test_what_retracts_rows_by_their_times_goes_on_as_before(columns: str, options: str, keeps: bool) -> None:
    report = plan(columns, options)
    read = SourceState(rows=7, row_semantics=FULL_FRACTIONS)
    assert number_after(report, read) == (FULL_FRACTIONS if keeps else ROW_SEMANTICS)
    assert number_after(report, SourceState(row_semantics=FULL_FRACTIONS)) == ROW_SEMANTICS


@pytest.mark.parametrize(
    ("columns", "options", "query", "mixes"),
    [
        ("s STRING", PLAIN, "SELECT s FROM t", True),
        ("s STRING", PLAIN, "SELECT JSON_VALUE(s, '$.n') FROM t", True),
        (LINES, PLAIN, "SELECT n, ts FROM t", True),
        (LINES, PLAIN, f"SELECT window_end, MAX(n) AS n {HOURS}", True),
        (LINES, PLAIN, f"SELECT window_end, COUNT(DISTINCT JSON_QUERY(s, '$')) AS n {HOURS}", True),
        (LINES, PLAIN, f"SELECT window_end, JSON_VALUE(MAX(s), '$.n') AS n {HOURS}", False),
        ("s STRING", PLAIN, "SELECT DISTINCT JSON_VALUE(s, '$.n') AS n FROM t", True),
        ("s STRING", PLAIN, "SELECT s, JSON_VALUE(MAX(s), '$.n') AS n FROM t GROUP BY s", False),
        ("s STRING", CHANGES, "SELECT JSON_VALUE(s, '$.n') AS n, COUNT(*) AS c FROM t GROUP BY s", False),
        ("s STRING", CHANGES, "SELECT s, COUNT(*) AS c FROM t GROUP BY s", True),
        ("r ARRAY<ROW<n INT>>", PLAIN, "SELECT u.n FROM t CROSS JOIN UNNEST(r) AS u (n)", True),
        ("r ARRAY<ROW<n INT>>", CHANGES, "SELECT u.n FROM t CROSS JOIN UNNEST(r) AS u (n)", False),
    ],
)
def test_rows_of_entries_stand_side_by_side_where_each_is_read_once(
    columns: str, options: str, query: str, mixes: bool
) -> None:
    report = plan(columns, options, query)
    assert mixes_entries(report) is mixes
    assert not any(map(differs, texts(report)))
    before = AS_IN_FLINK - 1
    assert number_after(report, SourceState(rows=7, row_semantics=before)) == (ROW_SEMANTICS if mixes else before)
    assert number_after(report, SourceState(row_semantics=before)) == ROW_SEMANTICS


@pytest.mark.parametrize("digits", range(7))
@pytest.mark.parametrize("above", [False, True])
def test_casts_to_digits_that_were_kept(digits: int, above: bool) -> None:
    """A home that has one above windows keeps the number by which it was not cut; others go on."""
    cast = f"CAST({'MAX(ts)' if above else 'ts'} AS TIMESTAMP({digits}))"
    times = "ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
    report = plan(times, PLAIN, f"SELECT window_end, {cast if above else f'MAX({cast})'} AS x {HOURS}")
    was_kept = digits in (1, 2, 4, 5)
    assert (report.by_entry is not None) is was_kept
    before = SourceState(rows=7, row_semantics=FULL_FRACTIONS)
    keeps = was_kept and above
    assert number_after(report, before) == (FULL_FRACTIONS if keeps else ROW_SEMANTICS)
    # What has gone on already is not taken back.
    assert number_after(report, SourceState(rows=7, row_semantics=ROW_SEMANTICS)) == ROW_SEMANTICS
