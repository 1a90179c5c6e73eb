"""The repository's own DAGs under a real scheduler and triggerer: stream, kill, wait, stop, verify, backfill."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from airflow_nrt.demo.airflow_client import wait_until
from tests.dags.lab import Lab, driver_of, kill, leases, wait_for_end

pytestmark = pytest.mark.slow

DAY, NEXT_DAY = "2024-06-18", "2024-06-19"
WINDOWS_OF_A_DAY = 144


def test_a_day_streamed_killed_verified_and_backfilled(lab: Lab) -> None:
    client, home = lab.client, lab.home("orders_curve")
    client.wait_for_dag("orders_curve")
    client.trigger("orders_curve", "live")
    first = driver_of(home)

    kill(first.pid)
    wait_until(lambda: home.log().epoch() > first.epoch, 90, "the restart of a killed driver")
    second = driver_of(home)
    assert second.epoch == first.epoch + 1
    assert client.task_state("orders_curve", "live", "stream") in ("deferred", "running", "queued", "scheduled")

    waiting = lab.run("waiting", home, window_end=NEXT_DAY)
    assert client.wait_for_run("waiting", waiting, timeout=180) == "success"
    assert driver_of(home).epoch == second.epoch

    stopping = lab.run("stopping", home)
    assert client.wait_for_run("stopping", stopping) == "success"
    assert client.wait_for_run("orders_curve", "live") == "success"
    told = client.xcom("orders_curve", "live", "stream")
    assert (told["driver"], told["epoch"], told["rows"]) == ("stopped", second.epoch, 3001)
    assert leases(home) == 2

    client.request("PATCH", "/dags/orders_curve_nightly", {"is_paused": False})
    client.trigger("orders_curve_nightly", "night", {"day": DAY})
    assert client.wait_for_run("orders_curve_nightly", "night") == "success"
    client.request("PATCH", "/dags/orders_curve_nightly", {"is_paused": True})
    verdict = client.xcom("orders_curve_nightly", "night", "verify")
    assert verdict["windows"] == WINDOWS_OF_A_DAY
    assert verdict["proven"] and verdict["unexplained"] == 0

    client.wait_for_dag("orders_curve_backfill")
    assert client.runs("orders_curve_backfill") == []
    client.backfill("orders_curve_backfill", f"{DAY}T00:00:00Z", f"{DAY}T00:00:00Z", max_active_runs=1)
    wait_until(lambda: len(client.runs("orders_curve_backfill")) == 1, 60, "the run of the backfill")
    run_id = client.runs("orders_curve_backfill")[0]["dag_run_id"]
    assert client.wait_for_run("orders_curve_backfill", run_id) == "success"
    told = client.xcom("orders_curve_backfill", run_id, "backfill")
    assert (told["start"], told["end"]) == (f"{DAY}T00:00:00", f"{NEXT_DAY}T00:00:00")
    assert told["verdict"]["windows"] == WINDOWS_OF_A_DAY
    assert told["verdict"]["equal"] + told["verdict"]["explained"] == WINDOWS_OF_A_DAY


def test_the_page_shows_what_the_home_of_the_day_holds(lab: Lab) -> None:
    """In Airflow's own api-server, which has loaded the plugin; before that nobody gets in."""
    plugins = {one["name"]: one for one in lab.client.get("/plugins")["plugins"]}
    assert {view["destination"] for view in plugins["nrt"]["external_views"]} >= {"nav", "dag", "task_instance"}
    (one,) = lab.page("api/reports?dag_id=orders_curve")["reports"]
    assert (one["name"], one["state"], one["rows"]) == ("orders_curve", "stopped", 3001)
    curve = lab.page(f"api/reports/{one['id']}/curve?measure=orders&day={DAY}")
    total = curve["days"][0]["series"][0]["values"]
    assert (len(total), None in total, total == sorted(total)) == (144, False, True)
    assert {window["state"] for window in curve["windows"]} <= {"complete", "backfilled", "repaired"}
    last = lab.page(f"api/reports/{one['id']}/windows/orders_curve/{NEXT_DAY}T00:00:00")
    assert last["verdict"] in ("equal", "explained")
    enabled = {one["name"]: one["enabled"] for one in lab.page(f"api/reports/{one['id']}")["actions"]}
    assert (enabled["stop"], enabled["backfill"]) == (False, True)


def test_a_button_of_the_page_verifies_windows_in_a_run_of_their_dag(lab: Lab) -> None:
    client, (one,) = lab.client, lab.page("api/reports?dag_id=orders_curve")["reports"]
    bounds = {"start": f"{DAY}T00:00:00", "end": f"{DAY}T06:00:00"}
    link = lab.page(f"api/reports/{one['id']}/backfill", bounds)["link"]
    _, _, dag_id, _, run_id = unquote(link).split("/")
    assert client.wait_for_run(dag_id, run_id) == "success"
    told = client.xcom(dag_id, run_id, "backfill")
    assert (told["start"], told["end"], told["verdict"]["windows"]) == (f"{DAY}T00:00:00", f"{DAY}T06:00:00", 36)


@pytest.mark.thorough
def test_a_published_cell_that_was_changed_is_named_and_repaired(lab: Lab) -> None:
    pytest.importorskip("pyarrow")
    client = lab.client
    windows = sorted((lab.data / "orders_curve" / f"ds={DAY}").rglob("*.parquet"))
    assert windows, "the whole path has published"
    _add_one_buyer(windows[0])

    client.trigger("orders_curve_nightly", "doubt", {"day": DAY})
    client.request("PATCH", "/dags/orders_curve_nightly", {"is_paused": False})
    assert client.wait_for_run("orders_curve_nightly", "doubt") == "failed"
    client.request("PATCH", "/dags/orders_curve_nightly", {"is_paused": True})
    log = client.log("orders_curve_nightly", "doubt", "verify")
    assert "orders_curve, window [2024-06-18 00:00:00, 2024-06-1" in log
    assert client.task("orders_curve_nightly", "doubt", "verify")["try_number"] == 1

    client.wait_for_dag("orders_curve_repair")
    client.trigger("orders_curve_repair", "repair", {"day": DAY})
    assert client.wait_for_run("orders_curve_repair", "repair") == "success"
    verdict = client.xcom("orders_curve_repair", "repair", "prove")
    assert (verdict["windows"], verdict["equal"]) == (WINDOWS_OF_A_DAY, WINDOWS_OF_A_DAY)


@pytest.mark.thorough
def test_an_hour_of_facts_is_read_when_it_is_complete(lab: Lab) -> None:
    client, home = lab.client, lab.home("order_facts")
    for dag in ("order_facts", "order_facts_hourly"):
        client.wait_for_dag(dag)
    client.request("PATCH", "/dags/order_facts_hourly", {"is_paused": False})
    client.trigger("order_facts_hourly", "hour", {"hour_end": f"{DAY} 10:00:00"})
    client.trigger("order_facts", "live")
    driver = driver_of(home)
    assert client.wait_for_run("order_facts_hourly", "hour", timeout=400) == "success"
    client.request("PATCH", "/dags/order_facts_hourly", {"is_paused": True})
    best = client.xcom("order_facts_hourly", "hour", "best_shops")
    assert {shop["window_end"] for shop in best} == {f"{DAY} 10:00:00"}
    assert [float(shop["gmv"]) for shop in best] == sorted((float(shop["gmv"]) for shop in best), reverse=True)

    lab.wait_until_watched("order_facts", "live", "stream")
    client.mark("order_facts", "live", "stream", "success")
    assert wait_for_end(home, driver.epoch) == "stopped"


def test_the_plain_trigger_button_means_the_day_before(lab: Lab) -> None:
    client, dag = lab.client, "orders_curve_nightly"
    client.wait_for_dag(dag)
    client.request("PATCH", f"/dags/{dag}", {"is_paused": False})
    client.trigger(dag, "button")
    client.wait_for_task(dag, "button", "complete", "deferred", "success")
    rendered = client.task(dag, "button", "complete")["rendered_fields"]
    run_after = client.get(f"/dags/{dag}/dagRuns/button")["run_after"]
    assert rendered["window_end"] == run_after[: len(DAY)]
    client.request("PATCH", f"/dags/{dag}/dagRuns/button", {"state": "failed"})
    client.request("PATCH", f"/dags/{dag}", {"is_paused": True})


def _add_one_buyer(path) -> None:  # type: ignore[no-untyped-def]
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.ParquetFile(path).read()
    column = table.schema.get_field_index("buyers")
    changed = [value + 1 if row == 0 else value for row, value in enumerate(table["buyers"].to_pylist())]
    pq.write_table(table.set_column(column, table.schema.field(column), pa.array(changed, pa.int64())), path)
