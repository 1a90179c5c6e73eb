"""A stream and its verification, of a report that names what Airflow keeps."""

from airflow.sdk import DAG

from airflow_nrt.operators.stream import NrtStreamOperator
from airflow_nrt.operators.verify import NrtVerifyOperator

WHERE = {
    "report": "{{ dag_run.conf['data'] }}/confided.sql",
    "home": "{{ dag_run.conf['home'] }}",
    "settings": {"DATA": "{{ dag_run.conf['data'] }}"},
}

with DAG("confided", schedule=None, catchup=False):
    NrtStreamOperator(task_id="stream", **WHERE) >> NrtVerifyOperator(task_id="verify", **WHERE)
