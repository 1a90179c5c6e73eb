"""What a backfill does about published windows that nothing explains, and about data that can't be computed.

Covers airflow_nrt/links: a task has them before its phase ends.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowFailException

from airflow_nrt.home.ids import home_id
from airflow_nrt.operators.backfill import NrtBackfillOperator
from tests.cli.place import REPORT, furnish
from tests.task_log import said

pytestmark = [pytest.mark.slow, pytest.mark.process]


class Attempt:
    """Stands for a task instance: all that a batch operator asks of it."""

    def __init__(self) -> None:
        self.xcoms: dict[str, Any] = {}

    def xcom_push(self, key: str, value: Any) -> None:
        self.xcoms[key] = value


def backfill(report: Path, attempt: Attempt, **options: Any) -> dict[str, Any]:
    task = NrtBackfillOperator(
        task_id="backfill",
        report=str(report),
        home=str(report.parent / "home"),
        master="local[2]",
        start="2024-06-18 10:00",
        end="2024-06-18 10:20",
        **options,
    )
    return task.execute({"ti": attempt})  # type: ignore[typeddict-item]


@pytest.mark.thorough
def test_a_difference_fails_with_its_verdict_and_is_repaired_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report, attempt = furnish(tmp_path), Attempt()
    assert backfill(report, attempt, verify=False)["published_windows"] == 2
    published = max((tmp_path / "curve").glob("*.json"))
    text = published.read_text()
    published.write_text(text.replace('"cnt":', '"cnt":9'))

    with pytest.raises(AirflowFailException, match="1 of 2 windows differ"):
        backfill(report, attempt)
    verdict = attempt.xcoms["verdict"]
    assert (verdict["windows"], verdict["unexplained"], verdict["proven"]) == (2, 1, False)
    assert len(verdict["unexplained_windows"]) == 1

    capsys.readouterr()
    repaired = backfill(report, attempt, on_mismatch="repair")
    log = "\n".join(said(capsys))
    assert f"home {report.parent / 'home'}" in log
    assert "1 window of 1 day computed" in log and "1 window published (100 %)" in log
    assert log.rstrip().endswith("proven: every difference is explained by late rows")
    assert attempt.xcoms["_link_NrtReportLink"].endswith(f"/nrt/#/report/{home_id(report.parent / 'home')}")
    assert (repaired["published_windows"], repaired["verdict"]["proven"]) == (1, True)
    assert attempt.xcoms["verdict"] == repaired["verdict"]


def test_data_that_can_t_be_computed_fails_for_good(tmp_path: Path) -> None:
    strict = REPORT.replace("'csv.ignore-parse-errors' = 'true'", "'source.rejected.limit' = '0'")
    report = furnish(tmp_path, strict, {"bad.csv": "1,a,1.00,noon\n"})
    with pytest.raises(AirflowFailException, match="a malformed line in table orders"):
        backfill(report, Attempt())
