"""Draws the pictures of Airflow's own pages: the grid, the log of a stream's task, the form of a connection.

python docs/generate/airflow_pictures.py     needs chromium; starts an Airflow of its own, some two minutes
"""

from __future__ import annotations

import argparse
import re
import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from airflow_nrt.demo.airflow_client import AirflowClient, wait_until
from airflow_nrt.demo.airflow_processes import AirflowProcesses
from airflow_nrt.demo.generator import play
from airflow_nrt.home.home import Home
from airflow_nrt.home.status import read_status

DAGS = Path(__file__).resolve().parents[2] / "dags"
PICTURES = Path(__file__).resolve().parents[1] / "how-to" / "pictures"
DAG, RUN, TASK = "orders_curve", "today", "stream"
SIZE = {"width": 1280, "height": 720}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=PICTURES)
    parser.add_argument("--browser", default=shutil.which("chromium") or shutil.which("google-chrome"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        data, home = Path(place, "data"), Home.at(Path(place, "homes", DAG))
        (data / "orders").mkdir(parents=True)
        home.path.parent.mkdir()
        play(data / "orders", rows=3000, seconds=0.5, seed=7)
        given = {"ORDERS_DATA": str(data), "ORDERS_HOME": str(home.path)}
        with AirflowProcesses(Path(place, "airflow"), DAGS, given) as airflow:
            try:
                a_running_stream(airflow.client, home)
                draw(airflow, options.out, options.browser)
            finally:
                if home.report_file.exists():
                    home.ask_to_stop()
                    airflow.client.wait_for_run(DAG, RUN)


def a_running_stream(client: AirflowClient, home: Home) -> None:
    """Windows are published, the task's log says so, and a connection is defined that no task uses."""
    extra = '{"home": "/data/nrt", "master": "spark://spark:7077", "deploy_mode": "cluster"}'
    client.request("POST", "/connections", {"connection_id": "nrt_production", "conn_type": "nrt", "extra": extra})
    client.wait_for_dag(DAG)
    client.trigger(DAG, RUN)
    wait_until(lambda: home.report_file.exists() and read_status(home).windows > 100, 240, "windows")
    published = re.compile(r"\b[1-9]\d* windows published")
    wait_until(lambda: published.search(client.log(DAG, RUN, TASK)) is not None, 240, "a line about the stream")


def draw(airflow: AirflowProcesses, out: Path, browser: str | None) -> None:
    """One picture for each page, in the light theme."""
    url = airflow.url
    with sync_playwright() as tool:
        chromium = tool.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport=SIZE, color_scheme="light")
        page.context.add_cookies([{"name": "_token", "value": str(airflow.client.token), "url": url}])
        shot(page, f"{url}/dags/{DAG}", out / "airflow-grid.png")
        shot(page, f"{url}/dags/{DAG}/runs/{RUN}/tasks/{TASK}", out / "airflow-log.png")
        page.goto(f"{url}/connections", wait_until="networkidle")
        page.get_by_role("button", name="Edit").first.click()
        page.wait_for_timeout(2000)
        page.screenshot(path=out / "airflow-connection.png")
        chromium.close()


def shot(page: Page, address: str, file: Path) -> None:
    """Some seconds after the page is there, as it fetches what it shows."""
    page.goto(address, wait_until="networkidle")
    page.wait_for_timeout(4000)
    page.screenshot(path=file)


if __name__ == "__main__":
    main()
