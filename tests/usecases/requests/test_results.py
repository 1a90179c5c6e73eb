"""A result survives its JSON, which is all that a task has of its child."""

from __future__ import annotations

import json
from typing import Any

import pytest

from airflow_nrt.describe.table_history import TableCommit, changed
from airflow_nrt.describe.verdict import BadWindow, InsertVerdict, LedgerVerdict, RowSample, Verdict
from airflow_nrt.usecases.requests.backfill import BackfillSummary
from airflow_nrt.usecases.requests.maintain import CompactedTable, MaintainResult

BAD = BadWindow(
    0, 60_000, 1, 2, 3, (RowSample("different", "7", "a", None),), changed(TableCommit(4, 0, "UPDATE", "ticket 7"), 3)
)
INSERT = InsertVerdict("curve", 9, 7, 1, 1, 3, {"equal": 4}, (BAD, BadWindow(None, None, 0, 1, 0)), (60_000,))
LEDGER = LedgerVerdict("operator", 5, 3, 2, 0, ("a row",))
VERDICT = Verdict("report", "/home", 7, None, 60_000, (INSERT,), (LEDGER,), ("wrong",), 1, 20, 5, ("note",))


def through_json(content: Any) -> Any:
    return json.loads(json.dumps(content))


@pytest.mark.parametrize("verdict", [VERDICT, Verdict("report", "/home", -1, None, None, ())], ids=["whole", "empty"])
def test_a_verdict(verdict: Verdict) -> None:
    assert Verdict.from_json(through_json(verdict.to_json())) == verdict


@pytest.mark.parametrize("verdict", [VERDICT, None], ids=["verified", "published"])
def test_a_backfill(verdict: Verdict | None) -> None:
    summary = BackfillSummary("report", 3, ("no partition",), 1, 20, verdict)
    assert BackfillSummary.from_json("report", through_json(summary.to_json())) == summary


def test_a_maintenance() -> None:
    result = MaintainResult({"curve": CompactedTable(5, 1), "totals": CompactedTable(1, 1)})
    assert MaintainResult.from_json(through_json(result.to_json())) == result


@pytest.mark.parametrize("content", [{}, {"tables": 3}, {"tables": {"curve": {"files_before": "5"}}}], ids=str)
def test_what_is_no_result(content: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        MaintainResult.from_json(content)
