"""Orders of each hour by shop, streamed; `order_facts_hourly` and `order_facts_each_hour` build on its windows."""

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
