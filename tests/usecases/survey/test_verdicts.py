"""Scripts and programs in the manner of Flink's users, each with the verdict that it has here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.usecases.requests.survey import Outcome

ROOT = Path(__file__).parents[3]
PLACE = Path(__file__).with_name("flink")
RUNS = (
    "tumble.sql cumulate.sql hop_threshold.sql session.sql top_n.sql window_join.sql interval_join.sql over.sql "
    "statement_set.sql group_windows.sql views.sql json_values.sql placeholder.sql datagen.sql jdbc.sql kafka.sql "
    "temporal_join.sql report.py"
).split()
DIFFERS = {
    "checkpoints.sql": [
        "setting 'execution.checkpointing.interval' has no effect here: each batch is one commit of the home's log",
        "setting 'table.exec.mini-batch.enabled' has no effect here: ",
    ],
    "drop_first.sql": ["statement 'DROP TABLE IF EXISTS orders' has no effect here: "],
    "primary_key.sql": ["table 'orders' has a PRIMARY KEY: of each (order_id) the row with the latest rowtime counts"],
    "python_function.sql": ["names are imported from `airflow_nrt.table`"],
    "sql_program.py": ["names are imported from `airflow_nrt.table`", "inserts belong into `def build(t_env)`"],
    "table_program.py": ["names are imported from `airflow_nrt.table`"],
}
FAILS = {
    "datastream_program.py": ["2:1: there is no pyflink.datastream: a report is made of tables"],
    "elements_program.py": ["5:1: a table environment has no 'from_elements': a query has rows of its own"],
    "hive.sql": ["1:1: CREATE CATALOG of type 'hive' has no place", "2:1: there is no catalog or database 'warehouse'"],
    "match.sql": ["14:22: MATCH_RECOGNIZE: not there yet"],
    "misspelled.sql": ["2:14: there is no type BIGNT"],
    "no_bound.sql": ["13:21: an aggregation without a window keeps every key for ever"],
    "query_alone.sql": ["9:1: a report writes its result: put INSERT INTO … before this query"],
    "random.sql": ["13:34: RAND gives another value in each run"],
    "wrong_sql_program.py": ["19:57: there is no column 'amuont'; did you mean 'amount'?"],
}


@pytest.fixture(scope="module")
def verdicts(process: None) -> dict[str, dict[str, Any]]:
    line = [sys.executable, "-m", "tests.usecases.survey.answering", str(PLACE)]
    told = subprocess.run(line, capture_output=True, text=True, check=True, cwd=ROOT)
    answers: dict[str, dict[str, Any]] = json.loads(told.stdout.splitlines()[-1])
    return answers


@pytest.mark.parametrize("name", RUNS)
def test_what_runs(verdicts: dict[str, dict[str, Any]], name: str) -> None:
    assert verdicts[name] == {"kind": Outcome.RUNS.name, "reasons": []}


@pytest.mark.parametrize("name", DIFFERS)
def test_what_runs_with_a_difference(verdicts: dict[str, dict[str, Any]], name: str) -> None:
    assert verdicts[name]["kind"] == Outcome.DIFFERS.name
    begin_alike(verdicts[name]["reasons"], DIFFERS[name])


@pytest.mark.parametrize("name", FAILS)
def test_what_does_not_run(verdicts: dict[str, dict[str, Any]], name: str) -> None:
    assert verdicts[name]["kind"] == Outcome.FAILS.name
    begin_alike(verdicts[name]["reasons"], [f"{PLACE / name}:{reason}" for reason in FAILS[name]])


def test_every_file_has_an_expected_verdict(verdicts: dict[str, dict[str, Any]]) -> None:
    others = {*verdicts} - {*RUNS, *DIFFERS, *FAILS}
    assert {name: verdicts[name]["kind"] for name in others} == {"udfs.py": Outcome.NO_REPORT.name}
    assert {*verdicts} == {file.name for file in PLACE.iterdir() if file.is_file()}


def begin_alike(told: list[str], expected: list[str]) -> None:
    assert len(told) == len(expected), told
    for one, beginning in zip(told, expected):
        assert one.startswith(beginning)
