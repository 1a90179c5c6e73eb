"""An alert for each shop that was busy in the last hour, ten minutes after ten minutes."""

from __future__ import annotations

import os
from typing import Any

from airflow.sdk import DAG, Param, task
from airflow.timetables.interval import CronDataIntervalTimetable

from airflow_nrt.sensors.window import NrtWindowSensor

DATA = os.environ.get("ORDERS_DATA", "/data")
HOMES = os.environ.get("ORDERS_HOMES", "/data/homes")
# A run that is triggered by hand has no data interval: it means the last window before it.
_END = "data_interval_end | default(dag_run.run_after, true)"
WINDOW_END = f"{{{{ params.window_end or ({_END}).strftime('%Y-%m-%d %H:%M')[:-1] ~ '0:00' }}}}"


@task
def busy_shops(window_end: str) -> list[dict[str, Any]]:
    """The shops over the threshold; without any, this and the alert are skipped."""
    from datetime import datetime

    from airflow.providers.common.compat.sdk import AirflowSkipException
    from pyarrow import compute, dataset

    table = dataset.dataset(f"{DATA}/busy_shops", partitioning="hive")
    found = table.to_table(["shop_id", "orders"], compute.field("window_end") == datetime.fromisoformat(window_end))
    if not found.num_rows:
        raise AirflowSkipException(f"no shop was busy in the hour before {window_end}")
    return found.sort_by("shop_id").to_pylist()


@task
def alert(shops: list[dict[str, Any]], window_end: str) -> None:
    """Logs; a notifier of Slack, mail or a pager is called here."""
    import logging

    for shop in shops:
        logging.getLogger(__name__).warning(
            "shop %(shop_id)s: %(orders)s orders in the hour before " + window_end, shop
        )


with DAG(
    "busy_shops_alert",
    schedule=CronDataIntervalTimetable("*/10 * * * *", timezone="UTC"),
    catchup=False,
    is_paused_upon_creation=True,
    params={
        "window_end": Param(None, type=["null", "string"], description="the end of another window: 2024-06-18 10:00:00")
    },
    tags=["orders"],
    doc_md=__doc__,
) as dag:
    complete = NrtWindowSensor(
        task_id="complete", home=f"{HOMES}/busy_shops", window_end=WINDOW_END, deferrable=True, timeout=3600
    )
    busy = busy_shops(WINDOW_END)
    complete >> busy
    alert(busy, WINDOW_END)
