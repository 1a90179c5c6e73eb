"""How long the page takes: each answer when it is asked for first and again, and all reports in a browser.

python -m bench.page [--reports 50] [--windows 10000]

One of the homes has so many windows. The browser is the system's Chromium, without a window.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from airflow_nrt.home.ids import home_id
from airflow_nrt.page.mounted import PREFIX
from tests.page.browser.conftest import NAMES
from tests.page.browser.serving import serve
from tests.page.lab import Lab, airflow_database, know_dags
from tests.page.made_homes import make_homes
from tests.page.serve import DAGS

AGAIN = 5


def answers(root: Path, reports: int, windows: int) -> None:
    homes = list(make_homes(root, reports, windows))
    airflow_database()
    know_dags(*DAGS)
    client = Lab.over(root).client("viewer")

    def milliseconds(path: str) -> float:
        began = time.perf_counter()
        assert client.get(f"{PREFIX}/api/{path}").status_code == 200
        return (time.perf_counter() - began) * 1000

    one = f"reports/{home_id(homes[0].home.path)}"
    parts = ["reports", one, *(f"{one}/{part}" for part in ("curve", "timeline", "windows?limit=500"))]
    first = {part: milliseconds(part) for part in parts}
    for part in parts:
        again = min(milliseconds(part) for _ in range(AGAIN))
        print(f"{part.replace(one, 'one report'):32} {first[part]:6.0f} ms first, {again:4.0f} ms again")


def paint(root: Path, reports: int, windows: int) -> None:
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        raise SystemExit("no Chromium here: apt-get install chromium")
    with serve(root, reports, windows) as served, sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"]).new_page()
        for turn in ("first", "again", "again"):
            page.goto("about:blank")
            page.goto(served.url, wait_until="commit")
            page.locator("tbody tr:not(.below)").nth(served.reports - 1).wait_for()
            print(f"all reports in a browser, {turn}: {page.evaluate('performance.now()'):.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=int, default=50)
    parser.add_argument("--windows", type=int, default=10_000)
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory(prefix="page-") as place:
        answers(Path(place, "answers"), options.reports, options.windows)
        paint(Path(place, "browser"), options.reports, options.windows)


if __name__ == "__main__":
    main()
