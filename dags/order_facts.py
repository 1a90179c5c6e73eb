"""Each hour's orders by shop, streamed; `order_facts_hourly` builds on each hour as it becomes complete."""

from __future__ import annotations

import os

from airflow.sdk import DAG

from airflow_nrt.operators.stream import NrtStreamOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOMES = os.environ.get("ORDERS_HOMES", "/data/homes")

with DAG("order_facts", schedule=None, max_active_runs=1, catchup=False, tags=["orders"], doc_md=__doc__) as dag:
    NrtStreamOperator(
        task_id="stream",
        report="reports/order_facts.sql",
        home=f"{HOMES}/order_facts",
        settings={"DATA": DATA},
        stall_timeout=600,
        retries=1,
    )
