"""A day again, in batch: Airflow's backfill makes a run per day, and each proves or repairs its windows."""

from __future__ import annotations

import os

from airflow.sdk import DAG, CronDataIntervalTimetable, Param

from airflow_nrt.operators.backfill import ON_MISMATCH, NrtBackfillOperator

DATA = os.environ.get("ORDERS_DATA", "/data")
HOME = os.environ.get("ORDERS_HOME", "/data/homes/orders_curve")

with DAG(
    "orders_curve_backfill",
    schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
    max_active_runs=1,
    # Without a start date and with catchup the scheduler makes no run by itself: only backfills do.
    catchup=True,
    params={"on_mismatch": Param("fail", enum=list(ON_MISMATCH), description="about unexplained differences")},
    tags=["orders"],
    doc_md=__doc__,
):
    NrtBackfillOperator(
        task_id="backfill",
        report="reports/orders_curve.sql",
        home=HOME,
        settings={"DATA": DATA},
        verify=True,
        on_mismatch="{{ params.on_mismatch }}",
    )
