"""Lines that stay above a status that is drawn again, and colours where a person sees them."""

from __future__ import annotations

import contextlib
import io

import pytest

from airflow_nrt.cli.terminal.colours import Colour, painted
from airflow_nrt.cli.terminal.screen import Screen
from tests.cli.terminal.pseudo import terminal


@pytest.fixture(autouse=True)
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_a_line_takes_the_place_of_the_status_which_follows_it() -> None:
    with terminal() as there, contextlib.redirect_stderr(there.stream):
        screen = Screen()
        screen.status("one file waits")
        screen.line("a window")
        screen.status("")
        assert there.drawn == "\x1b[2mone file waits\x1b[0m\r\x1b[Ka window\r\n\x1b[2mone file waits\x1b[0m\r\x1b[K"


def test_a_status_is_cut_to_the_width_of_the_terminal_that_it_is_drawn_on() -> None:
    """Standard output is none in this test."""
    with terminal(columns=10) as there, contextlib.redirect_stderr(there.stream):
        Screen().status("0123456789")
        assert there.drawn == "\x1b[2m012345678\x1b[0m"


@pytest.mark.parametrize("term", ["xterm", "dumb"])
def test_no_status_where_it_can_not_be_drawn_again(monkeypatch: pytest.MonkeyPatch, term: str) -> None:
    monkeypatch.setenv("TERM", term)
    with terminal() as there:
        written = there.stream if term == "dumb" else io.StringIO()
        with contextlib.redirect_stderr(written):
            screen = Screen()
            screen.status("one file waits")
            screen.line("a window")
        told = there.drawn if term == "dumb" else written.getvalue()
    assert told.splitlines() == ["a window"]


def test_a_reader_who_leaves_ends_nothing() -> None:
    gone = io.StringIO()
    gone.close()
    with contextlib.redirect_stderr(gone):
        screen = Screen()
        screen.line("a window")
        screen.status("one file waits")


@pytest.mark.parametrize(
    ("variable", "value", "shown"),
    [
        ("NO_COLOR", "1", "fine"),
        ("NO_COLOR", "", "\x1b[32mfine\x1b[0m"),
        ("TERM", "dumb", "fine"),
        ("TERM", "linux", "\x1b[32mfine\x1b[0m"),
    ],
)
def test_colours(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, shown: str) -> None:
    monkeypatch.setenv(variable, value)
    with terminal() as there:
        assert painted("fine", Colour.GOOD, there.stream) == shown
    assert painted("fine", Colour.GOOD, io.StringIO()) == "fine"
