"""XComs of a task, read and written by its trigger."""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async

from airflow_nrt.airflow_features import has_async_xcoms
from airflow_nrt.triggers.time_limits import within


async def read_xcom(task: Any, key: str, seconds: float) -> Any:
    """The value, None without one. Raises what Airflow raises, and asyncio.TimeoutError after so many seconds."""
    # Imported here, because a DAG file does not need Airflow's task runtime.
    from airflow.sdk.execution_time.xcom import XCom

    read = XCom.aget_one if has_async_xcoms() else sync_to_async(XCom.get_one)
    return await within(seconds, read(key=key, **_instance(task)))


async def write_xcom(task: Any, key: str, value: Any, seconds: float) -> None:
    """Raises as `read_xcom`."""
    from airflow.sdk.execution_time.xcom import XCom

    write = XCom.aset if has_async_xcoms() else sync_to_async(XCom.set)
    await within(seconds, write(key, value, **_instance(task)))


def _instance(task: Any) -> dict[str, Any]:
    index = task.map_index if task.map_index is not None else -1
    return {**{name: getattr(task, name) for name in ("dag_id", "task_id", "run_id")}, "map_index": index}
