"""The best shops of each hour, as soon as the hour is complete in the stream's table.

The runs come from the clock, so that Airflow's backfill can name past hours; each waits for the window of its hour.
"""

from __future__ import annotations

import os

from airflow.sdk import DAG, Param, task
from airflow.timetables.interval import CronDataIntervalTimetable

from airflow_nrt.sensors.window import NrtWindowSensor

DATA = os.environ.get("ORDERS_DATA", "/data")
HOMES = os.environ.get("ORDERS_HOMES", "/data/homes")
# A run that is triggered by hand has no data interval: it means the hour before.
_END = "data_interval_end | default(dag_run.run_after, true)"
HOUR_END = f"{{{{ params.hour_end or ({_END}).strftime('%Y-%m-%d %H:00:00') }}}}"


@task
def best_shops(hour_end: str) -> list[dict[str, str]]:
    """The ten shops with the highest turnover; running it again gives the same, as the window is complete."""
    from datetime import datetime

    from pyarrow import compute, dataset

    facts = dataset.dataset(f"{DATA}/order_facts", partitioning="hive")
    hour = facts.to_table(filter=compute.field("window_end") == datetime.fromisoformat(hour_end))
    best = hour.sort_by([("gmv", "descending")]).slice(0, 10)
    return [{name: str(value) for name, value in row.items()} for row in best.to_pylist()]


with DAG(
    "order_facts_hourly",
    schedule=CronDataIntervalTimetable("0 * * * *", timezone="UTC"),
    catchup=False,
    is_paused_upon_creation=True,
    params={
        "hour_end": Param(None, type=["null", "string"], description="the end of another hour: 2024-06-18 10:00:00")
    },
    tags=["orders"],
    doc_md=__doc__,
) as dag:
    complete = NrtWindowSensor(
        task_id="complete", home=f"{HOMES}/order_facts", window_end=HOUR_END, deferrable=True, timeout=3600
    )
    complete >> best_shops(HOUR_END)
