"""What Flink says to 149 statements, and what this product says to them at once, without Spark.

Each that Flink refuses is refused in words that name the same thing; each that it accepts is accepted. What the data
decides is run in `tests/golden/test_statements.py`.
"""

from __future__ import annotations

from collections import Counter

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.sql.errors import NotThereYet, SqlErrors
from tests.golden.statements import BEYOND, STATEMENTS, Statement

SAME = (
    "requires maxSize must be an integral multiple of step",
    "to be positive, but got",
    "Only constant window descriptors are supported",
    "exceeds precision of SECOND(2) field",
    "table function parameters must satisfy abs(offset) < size, but got",
    "Invalid number of arguments to function",
    "The window function requires the timecol is a time attribute type, but is",
    "Only tables with set semantics may be partitioned",
    "doesn't support early-fire and late-fire configuration",
    "is not being grouped",
    "The window can only be ordered in ASCENDING mode",
    "FOLLOWING windows are not supported",
)
"""Words that Flink and this product both use."""
WORDS = {
    "MONTH and YEAR time unit are not supported yet": "windows of 10 minutes have no offset of 1 month",
    "Cannot apply 'TUMBLE' to arguments of type": "Only constant window descriptors are supported: write INTERVAL",
    "requires the timecol to be TIMESTAMP or TIMESTAMP_LTZ": "requires the timecol is a time attribute type",
    "Unknown identifier 'nope'": "there is no column 'nope'",
    "Object 'Nope' not found": "there is no table or view 'Nope'",
    "SqlCharStringLiteral cannot be cast to": "expected the name of a column, found 'ts'",
    "Column 'window_start' is ambiguous": "column 'window_start' of the input is ambiguous",
    "Invalid data type of time field for watermark": "must be TIMESTAMP(3) or TIMESTAMP_LTZ(3), it is STRING",
}
"""Words of Flink's, and those that this product uses for them."""
OTHERWISE = {
    "tumble_null_interval.agg": "Only constant window descriptors are supported",
    "tumble_null_interval.raw": "Only constant window descriptors are supported",
}
"""Statements of which Flink names something else than what is wrong with them."""


def answer(statement: Statement) -> InputError | None:
    try:
        statement.plan()
    except InputError as wrong:
        return wrong
    return None


def is_not_there_yet(wrong: InputError | None) -> bool:
    problems = wrong.problems if isinstance(wrong, SqlErrors) else (wrong,)
    return all(isinstance(problem, NotThereYet) for problem in problems)


def expected_words(statement: Statement) -> str:
    if statement.id in OTHERWISE:
        return OTHERWISE[statement.id]
    message: str = statement.streaming["root_message"]
    found = [words for words in SAME if words in message] + [
        ours for flinks, ours in WORDS.items() if flinks in message
    ]
    assert found, f"no words are known for Flink's {message!r}"
    return found[0]


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda statement: statement.id)
def test_as_flink_says(statement: Statement) -> None:
    wrong = answer(statement)
    if statement.is_accepted or statement.id in BEYOND:
        assert wrong is None
    else:
        assert wrong is not None and not is_not_there_yet(wrong)
        assert expected_words(statement) in str(wrong)


def test_the_lists_name_statements() -> None:
    known = {statement.id: statement for statement in STATEMENTS}
    assert len(known) == len(STATEMENTS) == 149
    assert not [id for id in BEYOND if known[id].is_accepted]
    counts = Counter(
        "beyond" if id in BEYOND else "accepted" if s.is_accepted else "refused" for id, s in known.items()
    )
    print(dict(counts))
