"""Draws the pictures of see-a-report.md: the real page over made homes, in the browser of this machine.

PYTHONPATH=. python docs/generate/page_pictures.py [--out DIR]

In the pictures it is a quarter to five in the afternoon, whenever they are taken, so that the day has a curve.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

PICTURES = Path(__file__).resolve().parents[1] / "how-to" / "pictures"
WIDE, HIGH = 1280, 880
NOW = datetime.now(timezone.utc).replace(hour=16, minute=45, second=20, microsecond=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=PICTURES, help="where to write them")
    out = parser.parse_args().out
    ahead, clock = NOW.timestamp() - time.time(), time.time
    time.time = lambda: clock() + ahead
    from tests.page import made_homes
    from tests.page.browser.serving import serve

    made_homes.zone_of_noon = lambda: "UTC"
    with (
        tempfile.TemporaryDirectory() as root,
        serve(Path(root), 12, 1300) as served,
        sync_playwright() as playwright,
    ):
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        report = f"{served.url}#/report/{served.id_of('orders_curve')}"
        for theme, keys, cursor in (("light", "key=TOTAL", 0.63), ("dark", "key=1&key=2&key=3", 0.3)):
            page = browser.new_page(viewport={"width": WIDE, "height": HIGH})
            page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
            page.clock.set_fixed_time(NOW)
            page.goto(served.url)
            page.locator("tbody tr").first.wait_for()
            if theme == "light":
                page.screenshot(path=out / "page-reports-light.png")
            page.goto(f"{report}?measure=gmv&{keys}")
            _point(page, cursor)
            page.screenshot(path=out / f"page-report-{theme}.png")
        page.emulate_media(color_scheme="light")
        page.goto(f"{report}/window/{NOW:%Y-%m-%d}T13:30:00?insert=orders_curve")
        page.get_by_role("heading", name="Versions").wait_for()
        page.screenshot(path=out / "page-window-light.png")
        browser.close()


def _point(page: Page, share: float) -> None:
    """Puts the cursor at this share of the day."""
    page.locator(".curve canvas").wait_for()
    box = page.locator(".curve .u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * share, box["y"] + 120)
    page.locator(".tip:not([hidden])").wait_for()


if __name__ == "__main__":
    main()
