"""Whether the task for which something runs was given up.

A task that was cleared, or that another triggerer or worker has, is in another state: it belongs to its new owner. A
missing answer counts as no.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from airflow.providers.common.compat.sdk import conf
from asgiref.sync import sync_to_async

from airflow_nrt.triggers.time_limits import within

_GIVEN_UP = ("failed", "success", "skipped", "removed")
_LIMIT_SECONDS = conf.getfloat("triggerer", "on_kill_timeout", fallback=30.0) - 2.0
"""Airflow cancels `on_kill` after that time."""
_LIMIT_IN_WORKER_SECONDS = 3.0
"""A worker's supervisor kills the worker five seconds after it has asked it to end."""

log = logging.getLogger(__name__)


async def is_given_up(task: Any) -> bool:
    """For a trigger: whether a task instance has an end state."""
    if task is None:
        return False
    try:
        return await within(_LIMIT_SECONDS, sync_to_async(_is_at_an_end)(task))
    except Exception as wrong:
        log.warning("the state of %s is unknown, so its driver goes on: %r", task.task_id, wrong)
        return False


def is_given_up_now(task: Any) -> bool:
    """As `is_given_up`, for the signal handler of a worker: the interrupted code may hold the connection to the
    supervisor."""
    answers: list[bool] = []
    asking = threading.Thread(target=lambda: answers.append(_is_at_an_end(task)), daemon=True)
    asking.start()
    asking.join(_LIMIT_IN_WORKER_SECONDS)
    return bool(answers and answers[0])


def _is_at_an_end(task: Any) -> bool:
    from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance

    found = RuntimeTaskInstance.get_task_states(
        dag_id=task.dag_id,
        task_ids=[task.task_id],
        run_ids=[task.run_id],
        map_index=task.map_index if task.map_index is not None and task.map_index >= 0 else None,
    )
    state = found.get(task.run_id, {}).get(task.task_id)
    log.info("Airflow says that task %s is %s", task.task_id, state)
    return str(getattr(state, "value", state)) in _GIVEN_UP
