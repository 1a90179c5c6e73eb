"""The plugin: an entry point of the group `airflow.plugins` names it."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin

from airflow_nrt.assets.day import NrtDayMapper


class NrtPlugin(AirflowPlugin):
    """Registers what DAGs are serialized with, and what is shown of reports."""

    name = "nrt"
    partition_mappers = [NrtDayMapper]  # noqa: RUF012 - as Airflow declares it
