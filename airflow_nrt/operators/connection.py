"""The connection of a task, also by the former name of the parameter."""

from __future__ import annotations

import warnings

DEFAULT_CONNECTION = "nrt_default"
"""The default of `NrtHook`, which a DAG file does not load."""


def connection_named(nrt_conn_id: str | None, conn_id: str | None) -> str | None:
    """`nrt_conn_id`, or the value of `conn_id`, with a warning."""
    if conn_id is None:
        return nrt_conn_id
    from airflow.exceptions import AirflowProviderDeprecationWarning

    warnings.warn("conn_id is deprecated: give nrt_conn_id", AirflowProviderDeprecationWarning, stacklevel=3)
    return conn_id
