"""What the installed Airflow has: this package runs from 3.1 on, and asks here for what came later.

Each feature is looked for itself, not by a version. Names that only moved between versions are imported from
`airflow.providers.common.compat.sdk`.
"""

from __future__ import annotations

import inspect
from importlib.metadata import version


def has_asset_state() -> bool:
    """Airflow 3.3: state stores, and with them all that partitions of assets need.

    A DAG file asks, so nothing is loaded for it.
    """
    from airflow import sdk

    return "NEVER_EXPIRE" in sdk.__all__


def check_asset_state() -> None:
    """Raises ImportError where windows can't become asset events."""
    if not has_asset_state():
        raise ImportError(
            f"windows as asset events need Airflow 3.3, and this is {version('apache-airflow')}: there a DAG waits for "
            "windows with NrtWindowSensor"
        )


def calls_on_kill() -> bool:
    """Airflow 3.3 calls `on_kill` of a trigger whose task was given up; an older one calls only `cleanup`."""
    from airflow.triggers.base import BaseTrigger

    return hasattr(BaseTrigger, "on_kill")


def has_async_xcoms() -> bool:
    """Airflow 3.3: XComs that an event loop can wait for."""
    from airflow.sdk.execution_time.xcom import XCom

    return hasattr(XCom, "aset")


def has_teams() -> bool:
    """Airflow 3.2: a DAG may belong to a team."""
    from airflow.models import DagModel

    return hasattr(DagModel, "get_dag_id_to_team_name_mapping")


def has_notes_of_new_runs() -> bool:
    """Airflow 3.2: a run is triggered with its note."""
    from airflow.api.common.trigger_dag import trigger_dag

    return "note" in inspect.signature(trigger_dag).parameters
