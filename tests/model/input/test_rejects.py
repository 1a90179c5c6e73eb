"""What a source rejects: an option of its own decides, and where it is not set, the limit."""

from __future__ import annotations

import pytest

from airflow_nrt.model.input.rejects import Rejects, rejects_malformed, rejects_timeless
from airflow_nrt.model.tables import Table

LIVE = {"source.monitor-interval": "1 s"}
NONE, LIMITED, ALL = Rejects.NONE, Rejects.WITHIN_LIMIT, Rejects.ALL


@pytest.mark.parametrize(
    ("options", "malformed", "timeless"),
    [
        ({}, NONE, NONE),
        (LIVE, LIMITED, LIMITED),
        ({**LIVE, "source.rejected.limit": "0"}, NONE, NONE),
        ({"source.rejected.limit": "5"}, LIMITED, LIMITED),
        ({**LIVE, "csv.ignore-parse-errors": "true"}, ALL, LIMITED),
        ({**LIVE, "csv.ignore-parse-errors": "false"}, NONE, LIMITED),
        ({**LIVE, "scan.null-rowtime": "skip"}, LIMITED, ALL),
        ({**LIVE, "scan.null-rowtime": "fail"}, LIMITED, NONE),
    ],
)
def test_who_decides(options: dict[str, str], malformed: Rejects, timeless: Rejects) -> None:
    found = Table("t", (), "filesystem", options={"connector": "filesystem", "format": "csv", **options})
    assert (rejects_malformed(found), rejects_timeless(found)) == (malformed, timeless)


def test_changes_are_never_left_out() -> None:
    changes = Table("t", (), "filesystem", options={"connector": "filesystem", "format": "debezium-json", **LIVE})
    assert (rejects_malformed(changes), rejects_timeless(changes)) == (NONE, NONE)
