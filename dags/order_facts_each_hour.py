"""The turnover of each hour by asset events: a run for each window of `order_facts` as soon as it is published.

No clock is involved and none of the windows is missed, but Airflow's backfill can't name past hours: for that see
`order_facts_hourly`, which waits for the same windows by a sensor. It needs Airflow 3.3.
"""

from __future__ import annotations

import os

from airflow import sdk
from airflow.sdk import DAG, Asset, task

from airflow_nrt.assets.dispatcher import dispatcher_dag

DATA = os.environ.get("ORDERS_DATA", "/data")
HOMES = os.environ.get("ORDERS_HOMES", "/data/homes")
HOURS = Asset("order_facts")

dispatcher = dispatcher_dag(HOURS, home=f"{HOMES}/order_facts", is_paused_upon_creation=True, tags=["orders"])


@task
def turnover(hour_end: str) -> str:
    """`hour_end` is the partition key of the run, for example `2024-06-18T10:00:00`."""
    from datetime import datetime

    from pyarrow import compute, dataset

    facts = dataset.dataset(f"{DATA}/order_facts", partitioning="hive")
    hour = facts.to_table(["gmv"], filter=compute.field("window_end") == datetime.fromisoformat(hour_end))
    return str(compute.sum(hour["gmv"]).as_py())


with DAG(
    "order_facts_each_hour",
    schedule=sdk.PartitionedAssetTimetable(assets=HOURS),
    catchup=False,
    is_paused_upon_creation=True,
    tags=["orders"],
    doc_md=__doc__,
) as dag:
    turnover("{{ dag_run.partition_key }}")
