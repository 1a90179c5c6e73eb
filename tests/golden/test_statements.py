"""The statements of `errors/` that are accepted, run as a stream and in batch: Flink's rows, or Flink's failure."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from airflow_nrt.engine.failures import explained
from airflow_nrt.engine.query import run_bounded
from airflow_nrt.report.errors import InputError
from tests.golden.run import MODES
from tests.golden.statements import BEYOND, NOT_THERE_YET, STATEMENTS, Statement

ACCEPTED = [s for s in STATEMENTS if s.id not in NOT_THERE_YET and (s.is_accepted or s.id in BEYOND)]
FAILING = [s for s in ACCEPTED if s.streaming.get("phase") == "runtime"]
RUNNING = [s for s in ACCEPTED if s not in FAILING and s.result is not None]
"""Of some, neither a stream nor a batch of Flink has a result: `tests/engine/windows` has ours."""
FAILURES = {"RowTime field should not be null": "RowTime field should not be null: a row of table NullTs has none"}
"""Flink's words at run time, and those of this product. Flink's batch drops a row without a time, this one fails."""
REFUSED_IN_BATCH = {"proctime_batch": "Processing time Window TableFunction is not supported yet"}
"""Statements that Flink's batch refuses, and this one."""
LIKE_BATCH = {"listagg.hop"}
"""A stream of Flink joins the newest slice of a HOP window first; its batch joins by arrival, as both do here."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("statement", RUNNING, ids=lambda statement: statement.id)
def test_the_rows_are_flinks(spark, statement: Statement, mode: str) -> None:
    if mode == "batch" and statement.id in REFUSED_IN_BATCH:
        assert statement.batch is not None and REFUSED_IN_BATCH[statement.id] in statement.batch["root_message"]
        with pytest.raises(InputError, match=REFUSED_IN_BATCH[statement.id]):
            list(run_bounded(spark, statement.plan(), mode))
        return
    flinks = statement.batch if statement.id in LIKE_BATCH else statement.result
    assert flinks is not None and set(flinks["row_kinds"]) <= {"+I"}
    names = [name for name, _ in flinks["schema"]]
    rows = [json.loads(line) for line in run_bounded(spark, statement.plan(), mode)]
    ours = Counter(json.dumps([row.get(name) for name in names]) for row in rows)
    assert ours == Counter(json.dumps(values) for _, *values in flinks["result"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("statement", FAILING, ids=lambda statement: statement.id)
def test_the_failure_is_flinks(spark, statement: Statement, mode: str) -> None:
    words = next(ours for flinks, ours in FAILURES.items() if flinks in statement.streaming["root_message"])
    with pytest.raises(Exception) as failure:
        list(run_bounded(spark, statement.plan(), mode))
    assert words in str(explained(failure.value))
