"""Buttons: each asks first, sends what it has shown, and says what came of it."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.page.browser.complaints import Complaints
from tests.page.browser.serving import Served

pytestmark = pytest.mark.slow


@pytest.fixture
def report(page: Page, served: Served) -> Page:
    page.goto(f"{served.url}#/report/{served.id_of('orders_curve')}")
    page.locator(".curve canvas").wait_for()
    return page


def test_a_stop_is_asked_for_once_more_and_then_reaches_the_home(report: Page, served: Served) -> None:
    report.get_by_role("button", name="Stop…").click()
    dialog = report.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name="Cancel").click()
    assert not served.home("orders_curve").stop_file.exists()
    report.get_by_role("button", name="Stop…").click()
    dialog.get_by_role("button", name="Stop").click()
    expect(dialog.get_by_role("button", name="Close")).to_be_focused()
    assert served.home("orders_curve").stop_file.exists()


def test_a_range_that_is_none_is_not_sent(report: Page) -> None:
    report.get_by_role("button", name="Verify…").click()
    dialog = report.get_by_role("dialog")
    dialog.get_by_label("To").fill("tomorrow")
    dialog.get_by_role("button", name="Verify").click()
    assert dialog.get_by_label("To").evaluate("(input) => input.matches(':invalid')")
    expect(dialog.get_by_role("status")).to_be_empty()


def test_what_is_sent_is_what_was_shown_and_a_run_is_linked(report: Page, served: Served) -> None:
    """The server's side of it is a fault here: to trigger a run takes an Airflow, which tests of the API have."""
    sent: list[Request] = []

    def answer(route: Route) -> None:
        sent.append(route.request)
        route.fulfill(json={"message": "A run was triggered.", "link": "/dags/x/runs/manual__1"})

    report.route("**/backfill", answer)
    report.get_by_role("button", name="Backfill…").click()
    dialog = report.get_by_role("dialog")
    dialog.get_by_label("From").fill("2026-01-31 10:00")
    dialog.get_by_label("To").fill("2026-01-31 12:30")
    dialog.get_by_role("button", name="Backfill").click()
    link = dialog.get_by_role("link", name="Open in Airflow")
    expect(link).to_have_attribute("href", served.url.replace("/nrt/", "/dags/x/runs/manual__1"))
    (request,) = sent
    assert request.headers["x-nrt-action"] == "1" and request.headers["content-type"] == "application/json"
    assert json.loads(request.post_data or "") == {"start": "2026-01-31T10:00:00", "end": "2026-01-31T12:30:00"}


def test_a_refusal_stands_in_the_dialog(report: Page, complaints: Complaints) -> None:
    complaints.expects = ("409",)
    report.route("**/repair", lambda route: route.fulfill(status=409, json={"detail": "<b>Another repair runs.</b>"}))
    report.get_by_role("button", name="Repair…").click()
    dialog = report.get_by_role("dialog")
    dialog.get_by_role("button", name="Repair").click()
    expect(dialog.get_by_text("<b>Another repair runs.</b>")).to_be_visible()
    expect(dialog.get_by_role("button", name="Repair")).to_be_enabled()


def test_a_server_that_is_gone_leaves_what_was_read_and_says_so(report: Page, complaints: Complaints) -> None:
    complaints.expects = ("ERR_FAILED",)
    report.route("**/api/**", lambda route: route.abort())
    expect(report.get_by_role("alert")).to_contain_text("does not answer", timeout=15_000)
    expect(report.locator(".curve canvas")).to_be_visible()
    report.unroute("**/api/**")
    expect(report.get_by_role("alert")).to_be_hidden(timeout=15_000)
