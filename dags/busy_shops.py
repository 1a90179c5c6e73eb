"""Shops with many orders in the last hour, streamed; `busy_shops_alert` reads each of its windows."""

from __future__ import annotations

import os

from airflow.sdk import DAG

from airflow_nrt.operators.stream import NrtStreamOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOMES = os.environ.get("ORDERS_HOMES", "/data/homes")

with DAG("busy_shops", schedule=None, max_active_runs=1, catchup=False, tags=["orders"], doc_md=__doc__) as dag:
    NrtStreamOperator(
        task_id="stream",
        report="reports/busy_shops.sql",
        home=f"{HOMES}/busy_shops",
        settings={"DATA": DATA, "THRESHOLD": "100"},
        stall_timeout=600,
        retries=1,
    )
