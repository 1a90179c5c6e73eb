"""One report in a browser: curve, windows, what happened, and what a person can change of it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.page.browser.complaints import Complaints
from tests.page.browser.serving import Served

pytestmark = pytest.mark.slow


@pytest.fixture
def report(page: Page, served: Served) -> Page:
    page.goto(f"{served.url}#/report/{served.id_of('orders_curve')}")
    page.locator(".curve canvas").wait_for()
    return page


def curve(page: Page) -> str:
    """The curve in words, as a screen reader has it."""
    return page.locator(".curve").get_attribute("aria-label") or ""


def test_the_curve_of_the_day_lies_over_yesterday_and_last_week(report: Page) -> None:
    assert re.search(r"today TOTAL: [\d,.]+ at \d\d:\d\d; yesterday TOTAL: .* at 24:00; last week TOTAL", curve(report))
    colours = report.evaluate(
        """() => {
             const canvas = document.querySelector(".curve canvas");
             const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
             const seen = new Set();
             for (let i = 0; i < data.length; i += 4) {
               if (data[i + 3] > 250) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
             }
             return [...seen];
           }"""
    )
    assert {"31,95,214", "123,135,152"} <= set(colours), "the colours of the day and of the days before"


def test_keys_measure_and_day_are_chosen_and_stand_in_the_address(report: Page) -> None:
    report.get_by_role("button", name="2", exact=True).click()
    expect(report.locator(".curve")).to_have_attribute("aria-label", re.compile("today 2: "))
    report.get_by_label("Measure").select_option("gmv")
    expect(report.locator(".curve")).to_have_attribute("aria-label", re.compile("Curve of gmv"))
    report.get_by_role("button", name="The day before that has windows").click()
    of_another_day = re.compile(r"Curve of gmv\. \d{4}-\d\d-\d\d TOTAL")
    expect(report.locator(".curve")).to_have_attribute("aria-label", of_another_day)
    words = curve(report)
    report.reload()
    report.locator(".curve canvas").wait_for()
    assert curve(report) == words


ZONES = {
    "UTC": "16:45:00",
    "GMT-04:00": "12:45:00",
    "UTC+5:30": "22:15:00",
    "GMT+8": "00:45:00",
    "-03:30": "13:15:00",
    "Europe/Berlin": "17:45:00",
    "Z": "16:45:00",
}


@pytest.mark.parametrize("zone", ZONES)
def test_times_are_those_of_the_zone(page: Page, served: Served, zone: str) -> None:
    """In lists and on the axis; Flink's zones may be offsets, which browsers spell otherwise."""
    page.goto(served.url)
    shown, minute = page.evaluate(
        """async ([base, zone]) => {
             const {moment} = await import(`${base}static/js/format.js`);
             const {wallClock} = await import(`${base}static/js/charts/clock.js`);
             const instant = "2026-11-29T16:45:00Z";
             return [moment(instant, zone), new Date(wallClock(Date.parse(instant), zone)).toISOString()];
           }""",
        [served.url, zone],
    )
    assert shown[11:] == minute[11:19] == ZONES[zone]


def test_windows_are_coloured_by_state_and_the_keyboard_goes_from_one_to_the_next(report: Page) -> None:
    for state in ("complete", "backfilled", "repaired", "mismatch"):
        assert report.locator(f".cell.{state}").count() > 0, state
    last = report.locator(".cell").last
    last.focus()
    expect(report.locator(".tip")).to_be_visible()
    report.keyboard.press("ArrowLeft")
    before = report.locator(".cell").nth(report.locator(".cell").count() - 2)
    expect(before).to_be_focused()
    end = before.get_attribute("data-end") or ""
    report.keyboard.press("Enter")
    expect(report.get_by_role("heading", level=1)).to_contain_text(end[11:16] if end[11:16] != "00:00" else end[:10])
    expect(report.get_by_role("heading", name="Versions")).to_be_visible()


def test_the_cursor_says_what_is_there(report: Page) -> None:
    box = report.locator(".curve .u-over").bounding_box()
    assert box is not None
    report.mouse.move(box["x"] + box["width"] * 0.002, box["y"] + 50)
    expect(report.locator(".tip")).to_contain_text("yesterday")
    expect(report.locator(".tip")).to_contain_text(re.compile(r"[+−][\d.]+ %"))


def test_a_part_of_the_day_is_seen_by_dragging_and_is_what_an_action_is_about(report: Page) -> None:
    box = report.locator(".curve .u-over").bounding_box()
    assert box is not None
    y = box["y"] + 100
    report.mouse.move(box["x"] + box["width"] * 0.25, y)
    report.mouse.down()
    report.mouse.move(box["x"] + box["width"] * 0.5, y, steps=4)
    report.mouse.up()
    expect(report.get_by_role("button", name="Show the whole day")).to_be_visible()
    report.get_by_role("button", name="Repair…").click()
    dialog = report.get_by_role("dialog")
    assert dialog.get_by_label("From").input_value().endswith("06:00")
    assert dialog.get_by_label("To").input_value().endswith("12:00")
    report.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    report.get_by_role("button", name="Show the whole day").click()
    expect(report.get_by_role("button", name="Show the whole day")).to_be_hidden()


def test_a_click_on_a_day_of_the_legend_hides_it(report: Page) -> None:
    report.get_by_role("button", name="yesterday").click()
    expect(report.get_by_role("button", name="yesterday")).to_have_attribute("aria-pressed", "false")


def test_script_and_log_unfold(report: Page) -> None:
    report.get_by_text("Script", exact=True).click()
    expect(report.locator("pre.code").first).to_contain_text("CUMULATE")
    report.get_by_text("Driver log, the last lines").click()
    expect(report.locator("pre.log")).to_contain_text("INFO batch 299 of orders_curve")


def test_windows_of_a_day_are_listed_a_page_at_a_time(report: Page) -> None:
    report.get_by_role("button", name="The day before that has windows").click()
    expect(report.locator(".windows .pager")).to_contain_text("1–20 of 144")
    report.get_by_role("button", name="Earlier").click()
    expect(report.locator(".windows .pager")).to_contain_text("21–40 of 144")


def test_a_report_that_is_not_there(page: Page, served: Served, complaints: Complaints) -> None:
    complaints.expects = ("404",)
    page.goto(f"{served.url}#/report/{'0' * 32}")
    expect(page.get_by_role("heading", name="This can't be shown")).to_be_visible()
