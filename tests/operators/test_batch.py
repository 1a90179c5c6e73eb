"""Batch operators: how a command's end becomes a task's end, and what XCom carries."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from airflow_nrt.basics.errors import InputError, NrtError
from airflow_nrt.demo.airflow_client import wait_until
from airflow_nrt.describe.table_history import TableCommit, changed
from airflow_nrt.describe.verdict import BadWindow, InsertVerdict, LedgerVerdict, RowSample, Verdict, verdict_lines
from airflow_nrt.operators.backfill import NrtBackfillOperator
from airflow_nrt.operators.batch import fail_unless_proven, verdict_xcom
from airflow_nrt.operators.command import Command
from airflow_nrt.operators.verify import NrtVerifyOperator
from tests.launch.homes import REPORT, beat, lease, new_home

MINUTE = 60_000


def verdict(*bad: BadWindow, ledgers: tuple[LedgerVerdict, ...] = (), problems: tuple[str, ...] = ()) -> Verdict:
    ends = tuple(window.end or 0 for window in bad)
    rows = {"equal": 100, "explained": 2, "missing": 0, "extra": 0, "different": len(bad)}
    insert = InsertVerdict("curve", 144, 140, 2, len(bad), 3, rows, bad, ends)
    return Verdict("report", "/home", 7, None, None, (insert,), ledgers, problems, late_rows=5)


def windows(count: int) -> tuple[BadWindow, ...]:
    return tuple(BadWindow(0, (number + 1) * MINUTE, 0, 0, 1) for number in range(count))


def test_xcom_has_the_numbers_and_no_long_list() -> None:
    told = verdict_xcom(verdict(*windows(144)))
    assert (told["windows"], told["unexplained"], told["late_rows"], told["proven"]) == (144, 144, 5, False)
    assert len(told["unexplained_windows"]) == 10
    assert len(json.dumps(told)) < 4000


def test_xcom_names_the_commit_that_changed_a_window() -> None:
    window = BadWindow(0, MINUTE, 0, 0, 1, history=changed(TableCommit(4, 0, "UPDATE", "ticket 7"), 3))
    assert verdict_xcom(verdict(window))["unexplained_windows"] == [
        "curve, window [1970-01-01 00:00:00, 1970-01-01 00:01:00): 1 different row; it was right in version 3; "
        "version 4 of 1970-01-01 00:00:00 UTC (UPDATE, 'ticket 7') changed it"
    ]


def test_xcom_has_iso_times_and_the_verdict_as_text() -> None:
    told = verdict_xcom(replace(verdict(*windows(1)), start=0, end=60_000))
    assert (told["start"], told["end"]) == ("1970-01-01T00:00:00", "1970-01-01T00:01:00")
    assert told["text"] == (
        "report: NOT PROVEN; 144 windows, 140 equal, 2 explained by late rows, 1 unexplained, 3 pending"
    )
    assert verdict_xcom(verdict())["start"] is None


def test_the_verdict_of_a_task_s_log_has_no_rows() -> None:
    sample = RowSample("different", "7", "secret 1", "secret 2")
    window = BadWindow(0, MINUTE, 0, 0, 1, (sample,))
    insert = InsertVerdict("curve", 1, 0, 0, 1, 0, {}, (window,), (MINUTE,))
    ledger = LedgerVerdict("operator", 1, 0, 1, 0, ("secret 3",))
    whole = Verdict("report", "/home", 7, None, None, (insert,), (ledger,))
    lines = "\n".join(verdict_lines(whole.without_rows()))
    assert "secret" not in lines and "secret 3" in "\n".join(verdict_lines(whole))
    assert "window [1970-01-01 00:00:00, 1970-01-01 00:01:00): 1 different row" in lines
    assert lines.endswith("NOT PROVEN")


def test_a_proven_verdict_passes() -> None:
    fail_unless_proven(verdict_xcom(verdict()))


def test_an_unproven_one_fails_for_good_and_names_the_windows() -> None:
    with pytest.raises(AirflowFailException) as failed:
        fail_unless_proven(verdict_xcom(verdict(*windows(1))))
    assert "1 of 144 windows differs" in str(failed.value)
    assert "curve, window [1970-01-01 00:00:00, 1970-01-01 00:01:00): 1 different row" in str(failed.value)


def test_a_dishonest_ledger_and_a_contradiction_fail_too() -> None:
    lying = LedgerVerdict("operator", claimed=5, found=3, invented=2, lacking=0)
    with pytest.raises(AirflowFailException, match="2 in the ledger are not late"):
        fail_unless_proven(verdict_xcom(verdict(ledgers=(lying,))))
    with pytest.raises(AirflowFailException, match="a watermark that went back"):
        fail_unless_proven(verdict_xcom(verdict(problems=("a watermark that went back",))))


@pytest.mark.process
def test_wrong_input_of_a_command_is_its_paragraph() -> None:
    lines: list[str] = []
    with pytest.raises(InputError, match=r"^a home can't be on s3:// yet"):
        Command(["verify", str(REPORT), "--home", "s3://b/h", "--set", "DATA=/d"], lines.append).run()
    assert lines[-1].startswith("airflow-nrt: a home can't be on s3:// yet")


@pytest.mark.process
def test_a_command_without_a_result_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(NrtError, match=r"ended with 0 and printed no result"):
        Command(["status", "--home", str(new_home(tmp_path).path)], lambda line: None).run()


_WORKER = """
import sys
from airflow_nrt.operators.command import Command
Command(["stop", "--home", sys.argv[1], "--timeout", "600"], lambda line: print(line, flush=True)).run()
"""


@pytest.mark.process
def test_a_command_ends_with_a_worker_that_is_killed(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    beat(home, lease(home).epoch)
    worker = subprocess.Popen([sys.executable, "-c", _WORKER, str(home.path)], stdout=subprocess.PIPE)
    try:
        wait_until(home.stop_file.exists, 30, "the command")
        (command,) = psutil.Process(worker.pid).children()
    finally:
        worker.kill()
        worker.wait()
    assert psutil.wait_procs([command], timeout=10)[1] == []


def test_nothing_verified_is_no_proof(tmp_path: Path) -> None:
    empty = {**verdict_xcom(verdict()), "windows": 0, "pending": 6}
    with pytest.raises(AirflowException, match=r"no window is complete, 6 pending") as failed:
        fail_unless_proven(empty)
    assert not isinstance(failed.value, AirflowFailException)


@pytest.mark.process
def test_an_interval_is_needed_and_checked_before_spark_starts(tmp_path: Path) -> None:
    home = new_home(tmp_path)
    common: dict[str, Any] = {"report": str(REPORT), "home": str(home.path), "settings": {"DATA": str(tmp_path)}}
    backfill = NrtBackfillOperator(task_id="backfill", **common)
    with pytest.raises(AirflowFailException, match="nothing names the windows"):
        backfill.execute({})  # type: ignore[typeddict-item]
    verify = NrtVerifyOperator(task_id="verify", start="2024-06-18", **common)
    with pytest.raises(AirflowFailException, match="only start is given"):
        verify.execute({})  # type: ignore[typeddict-item]


@pytest.mark.process
@pytest.mark.parametrize(
    "run",
    [
        {"partition_key": "2024-06-18"},
        {
            "data_interval_start": datetime(2024, 6, 18, tzinfo=timezone.utc),
            "data_interval_end": datetime(2024, 6, 19, tzinfo=timezone.utc),
        },
    ],
    ids=["key", "data interval"],
)
def test_a_verification_waits_for_the_windows_that_its_run_names(
    tmp_path: Path, run: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    home = new_home(tmp_path)
    where: dict[str, Any] = {"report": str(REPORT), "home": str(home.path), "settings": {"DATA": str(tmp_path)}}
    context: Any = {"ti": SimpleNamespace(xcom_push={}.__setitem__), **run}
    with pytest.raises(AirflowFailException, match="in the interval is complete"):
        NrtVerifyOperator(task_id="verify", **where).execute(context)
    assert "end after 2024-06-18 00:00:00 and up to 2024-06-19 00:00:00" in capsys.readouterr().out


@pytest.mark.process
def test_a_report_with_an_error_fails_with_its_place(tmp_path: Path) -> None:
    report = tmp_path / "report.sql"
    report.write_text("SELEC 1;")
    with pytest.raises(AirflowFailException, match="line 1"):
        NrtVerifyOperator(task_id="verify", report=str(report), home=str(tmp_path / "home")).execute({})  # type: ignore[typeddict-item]
