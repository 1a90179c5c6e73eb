"""Options that people bring along get the answer to what they want."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.foreign_options import answer
from airflow_nrt.model.options.known import FILE_OPTIONS, REPORT_OPTIONS, check_options

ANSWERS = {
    "csv.ignore-first-line": "take the header line away",
    "header": "take the header line away",
    "csv.header": "WHERE id <> 'id'",
    "skip.header.line.count": "take the header line away",
    "format.ignore-first-line": "take the header line away",
    "multiLine": "a quoted field of csv may hold line breaks",
    "sep": "write 'csv.field-delimiter'",
    "nullValue": "write 'csv.null-literal'",
    "timestampFormat": "TO_TIMESTAMP",
    "csv.ignore-parse-error": "did you mean 'csv.ignore-parse-errors'?",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer(name: str) -> None:
    with pytest.raises(InputError) as refused:
        check_options({name: "true"}, FILE_OPTIONS, "table 't'")
    assert f"there is no option '{name}'" in str(refused.value) and ANSWERS[name] in str(refused.value)


def test_what_is_there_needs_no_answer() -> None:
    assert not [name for name in (*FILE_OPTIONS, *REPORT_OPTIONS) if answer(name)]
