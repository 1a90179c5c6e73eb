"""A verdict in words: proven of what, by what, or why there was nothing to prove."""

from __future__ import annotations

import pytest

from airflow_nrt.describe.verdict import BadWindow, InsertVerdict, Verdict, closing_line, verdict_lines


def verdict(windows: int = 0, explained: int = 0, unexplained: int = 0, pending: int = 0, **more: object) -> Verdict:
    equal = windows - explained - unexplained
    insert = InsertVerdict("curve", windows, equal, explained, unexplained, pending, {})
    return Verdict("report", "/home", 7, None, None, (insert,), **more)  # type: ignore[arg-type]


CLOSING = {
    "proven: no difference": verdict(3),
    "proven: every difference is explained by late rows": verdict(3, explained=1),
    "NOT PROVEN": verdict(3, unexplained=1),
    "nothing to prove: no complete window has rows": verdict(),
    "nothing to prove: no window is complete, 2 pending": verdict(pending=2),
    "nothing to prove: no result can be compared": Verdict("report", "/home", 7, None, None, ()),
}


@pytest.mark.parametrize(("line", "of"), CLOSING.items(), ids=CLOSING)
def test_the_conclusion_says_what_is_proven(line: str, of: Verdict) -> None:
    assert closing_line(of) == line and line in verdict_lines(of)
    assert of.text.startswith(f"report: {line.partition(': no ')[0] if not of.windows else line}; ")


def test_one_is_no_plural() -> None:
    lines = verdict_lines(verdict(1, unread_files=1, unread_bytes=1))
    assert "  curve: 1 window, 1 equal, 0 explained by late rows, 0 unexplained, 0 pending" in lines
    assert lines[-1].startswith("1 file has arrived that the stream has not read (1 byte)")
    assert str(BadWindow(None, None, 0, 1, 0)) == "outside of any window: 1 extra row"
    assert str(BadWindow(None, None, 1, 0, 1)) == "outside of any window: 1 missing, 1 different rows"
