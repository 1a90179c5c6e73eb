"""Reasons of one kind are counted together: only a script's own names and places differ."""

from __future__ import annotations

import pytest

from airflow_nrt.usecases.requests.survey import FileVerdict
from airflow_nrt.usecases.survey.refusals import Refusal, kind_of, refusals


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        (
            "/jobs/a b.sql:3:1: table 'x': there is no connector 'pulsar'; there are 'kafka'",
            "there is no connector 'pulsar'",
        ),
        ("a.sql:1:2: there is no column 'c'; there are a, b", "there is no column '…'"),
        ("a.sql:1:2: there is no table or view 'it''s'; did you mean 'its'?", "there is no table or view '…'"),
        ("a.sql:1:2: INSERT OVERWRITE: not there yet; use airflow-nrt backfill", "INSERT OVERWRITE"),
        ("a.sql:1:2: option 'a:b' of 'x;y': no", "option 'a:b' of 'x;y'"),
        ("a.sql:1:2: a call (of: three; words) here: so", "a call (of: three; words) here"),
        ("/jobs/b.py: its process was ended by signal 9", "its process was ended by signal 9"),
        ("--set: there is no setting 'x'; did you mean 'y'?", "there is no setting 'x'"),
        ("a.sql:1:2: : odd", ": odd"),
    ],
)
def test_a_kind(reason: str, kind: str) -> None:
    assert kind_of(reason) == kind


def test_files_count_once_and_those_that_run_not_at_all() -> None:
    lacking = "a.sql:1:2: there is no column '{}'"
    verdicts = [
        FileVerdict("FAILS", (lacking.format("a"), lacking.format("b"), "a.sql:1:2: wrong: so")),
        FileVerdict("FAILS", (lacking.format("c"),)),
        FileVerdict("DIFFERS", ("a.sql: different",)),
        FileVerdict("RUNS"),
    ]
    assert refusals(verdicts) == [Refusal("there is no column '…'", 2, 3), Refusal("wrong", 1, 1)]
