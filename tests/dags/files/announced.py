"""What follows from the windows of a report that another system may stream: runs for each window, and for each day."""

import os
from pathlib import Path

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, Asset, PartitionedAssetTimetable

from airflow_nrt.assets.day import NrtDayMapper
from airflow_nrt.assets.dispatcher import dispatcher_dag

CURVE = Asset("announced")
HOMES = Path(os.environ.get("ORDERS_HOME", "/data/homes/orders_curve")).parent

dispatcher = dispatcher_dag(CURVE, home=str(HOMES / "announced"), poll_interval=1)

for dag_id, timetable in {
    "each_window": PartitionedAssetTimetable(assets=CURVE),
    "each_day": PartitionedAssetTimetable(assets=CURVE, default_partition_mapper=NrtDayMapper()),
    "each_restated_window": PartitionedAssetTimetable(assets=Asset("announced_restated")),
}.items():
    with DAG(dag_id, schedule=timetable, catchup=False) as dag:
        EmptyOperator(task_id="follow")
    globals()[dag_id] = dag
