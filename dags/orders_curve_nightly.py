"""Every night, when the day is complete: prove that the curve is what the batch computes from the same rows."""

from __future__ import annotations

import os

from airflow.sdk import DAG, Param
from airflow.timetables.interval import CronDataIntervalTimetable

from airflow_nrt.operators.verify import NrtVerifyOperator
from airflow_nrt.sensors.window import NrtWindowSensor

DATA = os.environ.get("ORDERS_DATA", "/data")
HOME = os.environ.get("ORDERS_HOME", "/data/homes/orders_curve")
# A run that is triggered by hand has no data interval: it means the day before.
_START = "data_interval_start | default(dag_run.run_after - macros.timedelta(days=1), true)"
_DAY = f"params.day or ({_START}).strftime('%Y-%m-%d')"
DAY = f"{{{{ {_DAY} }}}}"
NEXT_DAY = f"{{{{ macros.ds_add({_DAY}, 1) }}}}"

with DAG(
    "orders_curve_nightly",
    schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
    catchup=False,
    is_paused_upon_creation=True,
    params={"day": Param(None, type=["null", "string"], description="verify this day instead, e.g. 2024-06-18")},
    tags=["orders"],
    doc_md=__doc__,
) as dag:
    complete = NrtWindowSensor(
        task_id="complete",
        home=HOME,
        window_end=NEXT_DAY,
        deferrable=True,
        timeout=6 * 3600,
    )
    verify = NrtVerifyOperator(
        task_id="verify",
        report="reports/orders_curve.sql",
        home=HOME,
        settings={"DATA": DATA},
        start=DAY,
        end=NEXT_DAY,
    )
    complete >> verify
