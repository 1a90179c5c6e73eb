"""The plugin: an entry point of the group `airflow.plugins` names it."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin

from airflow_nrt.assets.day import NrtDayMapper
from airflow_nrt.page.mounted import EXTERNAL_VIEWS, FASTAPI_APPS


class NrtPlugin(AirflowPlugin):
    """Registers the classes that serialized DAGs need, and the views of reports."""

    name = "nrt"
    partition_mappers = [NrtDayMapper]  # noqa: RUF012 - as Airflow declares it
    fastapi_apps = FASTAPI_APPS
    external_views = EXTERNAL_VIEWS
