"""All reports in a browser: what needs a person first, filters, sorting, the keyboard, and what is loaded for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from tests.page.browser.serving import Served, serve

pytestmark = pytest.mark.slow

ROWS = "tbody tr:not(.below)"
"""What is wrong stands in a row of its own, below that of the report."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    # A list shows how each report is doing, however many windows it has (tests/page/test_files_read.py).
    with serve(tmp_path_factory.mktemp("many"), reports=50, windows=432, of_others=40) as served:
        yield served


def rows(page: Page) -> list[str]:
    return page.locator(f"{ROWS} td:nth-child(2) a").all_inner_texts()


def test_what_needs_a_person_comes_first_with_its_reason(page: Page, served: Served) -> None:
    page.goto(served.url)
    expect(page.locator(ROWS)).to_have_count(served.reports)
    first = page.locator(ROWS).first
    expect(first).to_contain_text("failed")
    expect(page.locator("tbody tr.below").first).to_contain_text("'abc' is no DECIMAL(10, 2)")
    expect(page.locator(ROWS).nth(1)).to_contain_text("unreachable")


def test_text_and_state_choose_and_a_column_sorts(page: Page, served: Served) -> None:
    page.goto(served.url)
    page.get_by_role("searchbox").fill("report_0")
    expect(page.locator(ROWS)).to_have_count(9)
    page.get_by_role("button", name="Report", exact=True).click()
    assert rows(page) == [f"report_0{n}" for n in range(1, 10)]
    page.get_by_role("button", name="Report", exact=True).click()
    assert rows(page) == [f"report_0{n}" for n in range(9, 0, -1)]
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name=re.compile("stopped")).click()
    expect(page.locator(ROWS)).to_have_count(1)
    page.get_by_role("searchbox").fill("no such report")
    expect(page.get_by_text("No report fits this filter.")).to_be_visible()


def test_a_refresh_keeps_the_focus_and_enter_opens_the_report(page: Page, served: Served) -> None:
    page.goto(served.url)
    link = page.get_by_role("link", name="orders_curve", exact=True)
    link.focus()
    with page.expect_response(re.compile("api/reports$")):
        pass
    page.wait_for_timeout(200)
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("orders_curve")


def test_what_is_shown_is_busy_until_the_next_view_has_its_data(page: Page, served: Served) -> None:
    page.goto(served.url)
    main = page.get_by_role("main")
    expect(main).not_to_have_attribute("aria-busy", "true")
    held: list[Route] = []
    page.route(re.compile("/curve"), lambda route: held.append(route))
    page.get_by_role("link", name="orders_curve", exact=True).click()
    expect(main).to_have_attribute("aria-busy", "true")
    expect(page.get_by_role("heading", level=1)).to_have_text("Near-real-time reports")
    for route in held:
        route.continue_()
    page.unroute(re.compile("/curve"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("orders_curve")
    expect(main).not_to_have_attribute("aria-busy", "true")


def test_a_tab_of_a_dag_shows_its_reports(page: Page, served: Served) -> None:
    page.goto(f"{served.url}?dag_id=dag_3")
    expect(page.get_by_role("heading", name="Reports of dag_3")).to_be_visible()
    expect(page.locator(ROWS)).to_have_count(served.reports // 10)


def test_a_tab_of_a_dag_without_a_report_says_so(page: Page, served: Served) -> None:
    page.goto(f"{served.url}?dag_id=other")
    expect(page.get_by_text("No report is supervised by other yet.")).to_be_visible()


def test_all_reports_come_with_one_question(page: Page, served: Served) -> None:
    """How long that takes is measured by `bench/page.py`."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(served.url)))
    page.goto(served.url)
    page.locator(ROWS).nth(served.reports - 1).wait_for()
    print(f"for {served.reports} reports: {asked}")
    files = [one for one in asked if not one.startswith("api/")]
    # A machine so slow that the page looks again meanwhile asks the same once more.
    assert {*asked}.difference(files) == {"api/reports"}
    assert len(files) == len(set(files))
