"""A stream and its verification, of a report that names what Airflow keeps."""

import os
from pathlib import Path

from airflow.sdk import DAG

from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.operators.verify import NrtVerifyOperator

HOMES = Path(os.environ.get("ORDERS_HOMES", "/data/homes"))
WHERE = {
    "report": str(HOMES.parent / "data-confided" / "confided.sql"),
    "home": f"{HOMES}/{{{{ dag_run.conf['home'] }}}}",
    "settings": {"DATA": "{{ dag_run.conf['data'] }}"},
    "unsafe_settings": ["DATA"],
}

with DAG("confided", schedule=None, catchup=False):
    NrtStreamOperator(task_id="stream", **WHERE) >> NrtVerifyOperator(task_id="verify", **WHERE)
