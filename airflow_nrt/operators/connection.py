"""The connection that a task names, also under the name that the parameter had."""

from __future__ import annotations

import warnings

DEFAULT_CONNECTION = "nrt_default"
"""That of `NrtHook`, which a DAG file does not load."""


def connection_named(nrt_conn_id: str | None, conn_id: str | None) -> str | None:
    """`nrt_conn_id`, or what was given as `conn_id`, with a warning."""
    if conn_id is None:
        return nrt_conn_id
    from airflow.exceptions import AirflowProviderDeprecationWarning

    warnings.warn("conn_id is deprecated: give nrt_conn_id", AirflowProviderDeprecationWarning, stacklevel=3)
    return conn_id
