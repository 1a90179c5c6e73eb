"""The 100 best-selling items of the day, every ten minutes: two aggregates, a window join and a Top-N."""

from __future__ import annotations

import os

from airflow.sdk import DAG

from airflow_nrt.operators.stream import NrtStreamOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOMES = os.environ.get("ORDERS_HOMES", "/data/homes")

with DAG(
    "item_top100_cumulate_10min", schedule=None, max_active_runs=1, catchup=False, tags=["items"], doc_md=__doc__
) as dag:
    NrtStreamOperator(
        task_id="stream",
        report="reports/item_top100_cumulate_10min.sql",
        home=f"{HOMES}/item_top100_cumulate_10min",
        settings={"DATA": DATA},
        stall_timeout=600,
        retries=1,
    )
