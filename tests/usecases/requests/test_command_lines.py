"""A request gives the command line that asks for the same: a task's child parses what its operator has built."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli import backfill, maintain, verify
from airflow_nrt.describe.mismatch import ON_MISMATCH, REPAIR
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.usecases.requests.backfill import BackfillRequest
from airflow_nrt.usecases.requests.batch import BatchRequest
from airflow_nrt.usecases.requests.maintain import MaintainRequest
from airflow_nrt.usecases.requests.query import QueryRequest, SqlText
from airflow_nrt.usecases.requests.report import ReportInHome, ReportRequest
from airflow_nrt.usecases.requests.verify import VerifyRequest

SETTINGS = Settings((("DATA", "/data"), ("PASSWORD", "hunter22")), masked=("DATA",))
PLACE = ReportInHome(ReportRequest("a report.sql", SETTINGS, Path("/reports")), "/homes/curve", "staff", "local[2]")
ALONE = ReportInHome(ReportRequest("jobs:curve", SETTINGS), "homes/curve")
DAY = BatchRequest(PLACE, "2024-06-18", "2024-06-19 00:00:00")
REQUESTS = [
    VerifyRequest(BatchRequest(ALONE)),
    VerifyRequest(BatchRequest(PLACE, None, "2024-06-19", 90_500), Path("/copy")),
    BackfillRequest(DAY),
    *(BackfillRequest(DAY, what) for what in ON_MISMATCH),
    BackfillRequest(DAY, unpin=True),
    BackfillRequest(BatchRequest(ALONE, "2024-06-18T00:00:00Z", "2024-06-19", 600_000), REPAIR),
    MaintainRequest(ALONE),
    MaintainRequest(PLACE, "36 h"),
    MaintainRequest(PLACE, dry_run=True),
]


def parsed(module: Any, arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    return module.request_of(parser.parse_args(arguments, argparse.Namespace(given=SETTINGS)))


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: f"{one.command} {one.arguments()[-1]}")
def test_what_is_parsed_is_what_was_asked(request_: Any) -> None:
    module = {"verify": verify, "backfill": backfill, "maintain": maintain}[request_.command]
    assert parsed(module, request_.arguments()) == request_


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: f"{one.command} {one.arguments()[-1]}")
def test_no_setting_is_in_a_command_line(request_: Any) -> None:
    assert not any(hidden in argument for hidden in ("hunter22", "/data") for argument in request_.arguments())


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: BackfillRequest(BatchRequest(PLACE, "2024-06-18")), "a start and an end"),
        (lambda: BackfillRequest(DAY, "report", unpin=True), "unpin publishes over windows that somebody has set"),
        (lambda: BackfillRequest(DAY, "ignore"), "'ignore' is none of fail, repair, report"),
        (lambda: BatchRequest(PLACE, patience=-1), "no time to wait"),
        (lambda: MaintainRequest(PLACE, "a week"), "--keep: 'a week' is not a duration"),
        (lambda: QueryRequest(SqlText("", "-e"), SqlText("SELECT 1", "-e"), Path(), "both"), "none of stream, batch"),
    ],
    ids=["open interval", "unpin", "mismatch", "patience", "keep", "mode"],
)
def test_a_request_is_checked_when_it_is_built(build: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build()
