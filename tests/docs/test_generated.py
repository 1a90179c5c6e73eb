"""What pages have from the code is what the code says now."""

from __future__ import annotations

import sys

import pytest

import tests.airflow_home  # noqa: F401
from tests.docs.pages import DOCS

sys.path.insert(0, str(DOCS / "generate"))
from reference_parts import END, filled, pages


@pytest.mark.parametrize("name", [page.relative_to(DOCS).as_posix() for page in pages()])
def test_a_page_has_what_the_code_says(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    assert filled(text) == text, f"docs/{name} is older than the code: run `make reference`, and commit the page"


def test_of_a_terminal_only_the_text_is_in_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its width nor its colors."""
    page = f"<!-- generated: commands -->\n{END}"
    monkeypatch.setenv("COLUMNS", "200")
    before = filled(page)
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert filled(page) == before and "\x1b" not in before


def test_a_place_without_an_end_is_an_error() -> None:
    with pytest.raises(ValueError, match="<!-- end -->"):
        filled("<!-- generated: commands -->\n\n<!-- generated: connection -->\n<!-- end -->")
