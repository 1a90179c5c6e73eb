"""A window that somebody has set, in a browser: what it was, and what it is now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from airflow_nrt.home.ids import home_id
from tests.homes.archives import unpack
from tests.page.serve import serving

pytestmark = pytest.mark.slow


@pytest.fixture
def window(page: Page, tmp_path: Path) -> Iterator[Page]:
    home = unpack("undone", tmp_path) / "home"
    with serving(tmp_path) as url:
        page.goto(f"{url}#/report/{home_id(home)}/window/2024-06-18T10:20:00?insert=curve")
        page.get_by_role("heading", name="Before and now").wait_for()
        yield page


def test_old_rows_stand_against_new_ones(window: Page) -> None:
    expect(window.locator(".badge.set-by-hand").first).to_be_visible()
    rows = window.get_by_role("region", name="Before and now")
    expect(rows).to_contain_text("2 → 5")
    before, now = (rows.locator(f".bar.{kind}").bounding_box() for kind in ("before", "now"))
    assert before is not None and now is not None and before["width"] == now["width"] > 10, "one row before and now"
    expect(window.get_by_role("region", name="Versions")).to_contain_text("it was right")
