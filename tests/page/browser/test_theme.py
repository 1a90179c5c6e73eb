"""Light and dark, narrow and wide, in a frame of Airflow."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from airflow_nrt.basics.durations import DAY
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.model.zones import wall_clock
from airflow_nrt.page.times import instant_text
from tests.page.browser.complaints import Complaints
from tests.page.browser.serving import Served

pytestmark = pytest.mark.slow

BACKGROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(246, 247, 249)", "rgb(14, 18, 23)"


def test_the_system_s_theme_holds_until_airflow_has_one(page: Page, served: Served) -> None:
    page.goto(served.url)
    page.locator("tbody tr").first.wait_for()
    assert page.evaluate(BACKGROUND) == LIGHT
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate(BACKGROUND) == DARK
    page.evaluate("localStorage.setItem('theme', 'light')")
    page.reload()
    page.locator("tbody tr").first.wait_for()
    assert page.evaluate(BACKGROUND) == LIGHT


@pytest.fixture
def framed(page: Page, served: Served, complaints: Complaints) -> Page:
    """The page in a frame, as Airflow shows an external view. Chromium warns of such a sandbox."""
    complaints.expects = ("can escape its sandboxing",)
    page.route("**/outer", lambda route: route.fulfill(content_type="text/html", body=OUTER))
    page.goto(served.url.replace("/nrt/", "/outer"))
    return page


def test_a_frame_follows_when_airflow_s_theme_changes(framed: Page) -> None:
    frame = framed.frame_locator("iframe")
    frame.locator("tbody tr").first.wait_for()
    framed.evaluate("localStorage.setItem('theme', 'dark')")
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_link_to_a_dag_leads_out_of_the_frame(framed: Page) -> None:
    framed.route("**/dags/dag_0", lambda route: route.fulfill(content_type="text/html", body="the DAG"))
    framed.frame_locator("iframe").get_by_role("link", name="dag_0").first.click()
    framed.wait_for_url("**/dags/dag_0")


@pytest.mark.parametrize("width", [360, 768])
def test_nothing_is_wider_than_a_narrow_screen(page: Page, served: Served, width: int) -> None:
    """Each view is waited for by what only it has: rows of the view before would be measured otherwise."""
    page.set_viewport_size({"width": width, "height": 800})
    report = f"{served.url}#/report/{served.id_of('orders_curve')}"
    for address, of_the_view in ((served.url, "tbody tr"), (report, ".curve canvas")):
        page.goto(address)
        page.locator(of_the_view).first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    page.locator(".windows tbody a").first.click()
    page.get_by_role("heading", name="Versions").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "a window"


NAVIGATION = 84
"""The width of Airflow's own navigation (px)."""
CUT_OFF = """() => [...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => one.getAttribute("aria-label"))"""


@pytest.mark.parametrize("width", [1400, 1100, 900, 420])
def test_no_column_is_cut_off_and_an_error_is_a_few_wide_lines(page: Page, served: Served, width: int) -> None:
    page.set_viewport_size({"width": width - NAVIGATION if width > 500 else width, "height": 800})
    page.route("**/api/reports", _with_long_errors)
    page.goto(served.url)
    error = page.locator("tbody tr.below .why").first
    expect(error).to_contain_text("batch failed")
    assert page.evaluate(CUT_OFF) == []
    box, table = error.bounding_box(), page.locator(".scroll").bounding_box()
    assert box is not None and table is not None
    assert box["height"] < 70 and box["width"] > table["width"] - 40
    page.goto(f"{served.url}#/report/{served.id_of('orders_curve')}")
    page.locator(".curve canvas").wait_for()
    assert page.evaluate(CUT_OFF) == []


def _with_long_errors(route: Route) -> None:
    found = route.fetch().json()
    for one in found["reports"]:
        one["why"] = one["why"] and "the batch failed: [PARQUET_COLUMN_DATA_TYPE_MISMATCH] in part-00017.parquet; " * 25
        one["dag_id"] = one["dag_id"] and f"{one['dag_id']}_of_a_team_with_a_long_name"
    route.fulfill(json=found)


def test_a_mark_at_midnight_leaves_the_name_of_its_lane_alone(page: Page, served: Served) -> None:
    now = now_ms()
    midnight = instant_text(now - wall_clock(now, served.home("orders_curve").zone) % DAY)

    def at_midnight(route: Route) -> None:
        found = route.fetch().json()
        first = min((one["at"] for one in found["batches"] if one["at"] >= midnight), default=None)
        found["events"] = first and [{"at": first, "kind": "start", "epoch": 1, "text": "driver of epoch 1 began"}]
        route.fulfill(json={**found, "events": found["events"] or []})

    page.route("**/timeline?*", at_midnight)
    page.goto(f"{served.url}#/report/{served.id_of('orders_curve')}")
    mark = page.get_by_role("img", name="driver of epoch 1 began").first
    name = page.locator(".marks .lane-title")
    of_mark, of_name = mark.bounding_box(), name.bounding_box()
    assert of_mark is not None and of_name is not None
    assert of_mark["x"] >= of_name["x"] + of_name["width"]


OUTER = """<!doctype html><link rel="icon" href="data:,">
<iframe src="/nrt/" width="1200" height="800" sandbox="allow-scripts allow-same-origin allow-forms allow-downloads">
</iframe>"""
