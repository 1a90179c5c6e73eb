"""A day published again from all of its rows, those that came late included, and proven equal to the batch."""

from __future__ import annotations

import os

from airflow.sdk import DAG, Param

from airflow_nrt.operators.backfill import NrtBackfillOperator
from airflow_nrt.operators.verify import NrtVerifyOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOME = os.environ.get("ORDERS_HOME", "/data/homes/orders_curve")
REPORT = {"report": "reports/orders_curve.sql", "home": HOME, "settings": {"DATA": DATA}}
DAY = {"start": "{{ params.day }}", "end": "{{ macros.ds_add(params.day, 1) }}"}

with DAG(
    "orders_curve_repair",
    schedule=None,
    max_active_runs=1,
    params={"day": Param(type="string", format="date", description="the day to publish again, e.g. 2024-06-18")},
    tags=["orders"],
    doc_md=__doc__,
) as dag:
    NrtBackfillOperator(task_id="publish", verify=False, **REPORT, **DAY) >> NrtVerifyOperator(
        task_id="prove", **REPORT, **DAY
    )
