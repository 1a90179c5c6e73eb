"""Windows become asset events under a real scheduler and triggerer; the test writes the log in place of a driver."""

from __future__ import annotations

import signal

import pytest

from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.demo.airflow_client import wait_until
from airflow_nrt.demo.airflow_processes import TRIGGERER
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published, Restate
from airflow_nrt.sql.load import load_report
from tests.dags.lab import Lab
from tests.launch.homes import REPORT, lease
from tests.triggers.test_window_events import complete

pytestmark = pytest.mark.slow

FIRST = ["2024-06-18T23:40:00", "2024-06-18T23:50:00", "2024-06-19T00:00:00"]
MEANWHILE, LAST = ["2024-06-19T00:10:00"], ["2024-06-19T00:20:00"]


def keys(lab: Lab, asset: str = "announced") -> list[str]:
    """The partition keys of all events of an asset, in their order."""
    client = lab.client
    known = [one for one in client.get(f"/assets?name_pattern={asset}")["assets"] if one["name"] == asset]
    if not known:
        return []
    found = client.get(f"/assets/events?asset_id={known[0]['id']}&limit=100")["asset_events"]
    return [event["partition_key"] for event in sorted(found, key=lambda event: event["id"])]


def followed(lab: Lab, dag_id: str) -> list[str]:
    return sorted(run["partition_key"] for run in lab.client.runs(dag_id) if run["state"] == "success")


@pytest.mark.thorough
def test_each_window_is_an_event_once_and_in_order(lab: Lab) -> None:
    client = lab.client
    client.wait_for_dag("announced_dispatcher")
    client.wait_for_dag("each_day")
    home = Home.create(lab.home("announced").path, load_report(REPORT, {"DATA": str(lab.root)}))
    driver = lease(home)
    for key in FIRST:
        complete(driver, parse_instant(key))
    wait_until(lambda: len(keys(lab)) >= len(FIRST), 90, "the first windows", lambda: str(keys(lab)))

    lab.processes.end(TRIGGERER, signal.SIGKILL)
    complete(driver, parse_instant(*MEANWHILE))
    lab.processes.launch(TRIGGERER)
    wait_until(lambda: len(keys(lab)) > len(FIRST), 120, "a window after a restart", lambda: str(keys(lab)))
    complete(driver, parse_instant(*LAST))
    wait_until(lambda: len(keys(lab)) > len(FIRST) + 1, 90, "a window after that", lambda: str(keys(lab)))

    end = parse_instant(FIRST[0])
    again = Published("orders_curve", end - 600_000, end, "restated", 1, "", "staged/none", f"{end}.json")
    home.log().append(Restate((again,), (), "repair", {}, home.log().last), None)
    wait_until(lambda: keys(lab, "announced_restated") != [], 90, "the window that was repaired")

    everything = [*FIRST, *MEANWHILE, *LAST]
    wait_until(lambda: followed(lab, "each_window") == everything, 90, "a run for each window")
    wait_until(lambda: followed(lab, "each_restated_window") == FIRST[:1], 90, "a run for the repaired window")
    wait_until(lambda: followed(lab, "each_day") == ["2024-06-18"], 60, "a run for the day")
    assert keys(lab) == everything
    assert keys(lab, "announced_restated") == FIRST[:1]
    assert len(client.runs("each_window")) == len(everything)


def test_what_streams_elsewhere_may_say_it_by_rest(lab: Lab) -> None:
    client, key = lab.client, "2024-06-20T00:00:00"
    client.wait_for_dag("each_window")
    (asset,) = (one for one in client.get("/assets?name_pattern=announced")["assets"] if one["name"] == "announced")
    event = {"asset_id": asset["id"], "partition_key": key, "extra": {"home": "elsewhere"}}
    client.request("POST", "/assets/events", event)
    wait_until(lambda: key in followed(lab, "each_window"), 90, "a run for the window")
    wait_until(lambda: "2024-06-19" in followed(lab, "each_day"), 60, "a run for the day")
