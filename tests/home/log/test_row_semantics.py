"""By which number the next rows of a source are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.home.log.entries import ROW_SEMANTICS, SourceState
from airflow_nrt.home.log.row_semantics import FULL_FRACTIONS, with_newest_semantics
from airflow_nrt.model.plan import Source
from airflow_nrt.sql.planner import plan_query

PLAIN, CHANGES = "'format' = 'csv'", "'format' = 'debezium-json'"


def source(columns: str, options: str) -> Source:
    ddl = f"CREATE TABLE t ({columns}) WITH ('connector' = 'filesystem', 'path' = 't', {options});"
    (found,) = plan_query(ddl, "SELECT * FROM t", Path("/")).sources
    return found


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
    read = SourceState(rows=7, row_semantics=FULL_FRACTIONS)
    assert (with_newest_semantics(source(columns, options), read) == read) is keeps
    nothing = SourceState(row_semantics=FULL_FRACTIONS)
    assert with_newest_semantics(source(columns, options), nothing).row_semantics == ROW_SEMANTICS
