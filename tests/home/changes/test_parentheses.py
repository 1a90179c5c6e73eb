"""Parentheses that enclose a whole argument are not shown, and all others are."""

from __future__ import annotations

import pytest

from airflow_nrt.home.changes.parentheses import without_doubled


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("SUM((price * qty))", "SUM(price * qty)"),
        ("COALESCE((a + b), (c * (d - 1)), 0)", "COALESCE(a + b, c * (d - 1), 0)"),
        ("(a + b) * c", "(a + b) * c"),
        ("MAX(((a)))", "MAX(a)"),
        ("ROW((a, b))", "ROW((a, b))"),
        ("x IN ((query 1))", "x IN ((query 1))"),
        ("CONCAT('((', (a || b), '))')", "CONCAT('((', a || b, '))')"),
        ("f(`((`, 'it''s (')", "f(`((`, 'it''s (')"),
        ("unfinished ((a)", "unfinished ((a)"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert without_doubled(text) == shown
