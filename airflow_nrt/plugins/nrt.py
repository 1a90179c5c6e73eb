"""The plugin: an entry point of the group `airflow.plugins` names it."""

from __future__ import annotations

from typing import Any

from airflow.plugins_manager import AirflowPlugin

from airflow_nrt.airflow_features import has_asset_state
from airflow_nrt.page.mounted import EXTERNAL_VIEWS, FASTAPI_APPS


def _mappers() -> list[Any]:
    if not has_asset_state():
        return []
    from airflow_nrt.assets.day import NrtDayMapper

    return [NrtDayMapper]


class NrtPlugin(AirflowPlugin):
    """Registers the classes that serialized DAGs need, and the views of reports."""

    name = "nrt"
    partition_mappers = _mappers()
    fastapi_apps = FASTAPI_APPS
    external_views = EXTERNAL_VIEWS
