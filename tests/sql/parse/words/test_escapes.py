"""Strings with escapes, wherever a string stands: each was read by Flink 2.3 once."""

from __future__ import annotations

import pytest

from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse.cursor import Cursor
from airflow_nrt.sql.planner import plan_query
from tests.sample import ORDERS


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"U&'\00e9x'", "éx"),
        (r"u&'a\\b'", "a\\b"),
        (r"U&'!00e9\' UESCAPE '!'", "é\\"),
        (r"U&'it''s \0041'", "it's A"),
        (r"U&'x0041' UESCAPE 'x'", "A"),
        (r"U&'\d83d\de00'", "\U0001f600"),
    ],
)
def test_texts(written: str, text: str) -> None:
    assert Cursor(written).string() == text


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (r"U&'\12'", "four hexadecimal digits must follow"),
        (r"U&'\0041' UESCAPE 'ab'", "UESCAPE takes one character"),
        (r"U&'\d83d'", "half a character"),
    ],
)
def test_what_is_none(written: str, said: str) -> None:
    with pytest.raises(SqlError, match=said):
        Cursor(written).string()


def test_in_options_settings_and_queries(tmp_path) -> None:
    tables = ORDERS.replace(
        "'format' = 'csv'", r"'format' = 'csv', U&'csv.field\002ddelimiter' = U&'!0001' UESCAPE '!'"
    )
    settings = r"SET 'table.local-time-zone' = U&'U\0054C';"
    plan = plan_query(f"{settings}\n{tables}", r"SELECT U&'\0041' || shop FROM orders", tmp_path)
    assert plan.sources[0].table.options["csv.field-delimiter"] == "\x01"
    assert dict(plan.settings)["table.local-time-zone"] == "UTC"
    assert "'A'" in plan.inserts[0].query.sql
