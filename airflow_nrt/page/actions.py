"""The actions of the page on a report: stop its driver, and trigger the DAGs that work on its home.

The page computes nothing. A backfill, a verification or a repair is a run of the DAG whose task did it before, with the
windows in the run's configuration (`RunOverrides`), so that Airflow shows it, retries it and logs it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from airflow_nrt.airflow_features import has_notes_of_new_runs
from airflow_nrt.basics.errors import HomeError
from airflow_nrt.basics.instants import check_span, format_instant
from airflow_nrt.describe.mismatch import REPAIR
from airflow_nrt.home.home import Home
from airflow_nrt.home.notes.tasks import BACKFILL, PUBLISHES, REPAIRS, STREAM, VERIFIES, VERIFY, TaskOfHome
from airflow_nrt.page.access.permissions import Access
from airflow_nrt.page.state import LIVING, State
from airflow_nrt.page.times import parse_clock
from airflow_nrt.usecases.requests.run_overrides import RunOverrides


class RefusedError(Exception):
    """Why it can't be done now, and what would allow it."""


@dataclass(frozen=True)
class Batch:
    """An action that is a run of a DAG, whose configuration asks for `on_mismatch`, if that is given.

    It uses the first task of these kinds that takes what is needed; `operator` is what to use if there is none.
    """

    name: str
    kinds: Mapping[str, tuple[str, ...]]
    operator: str
    text: str | None = None
    """None where the task says what it does."""
    on_mismatch: str | None = None

    def task(self, tasks: Mapping[str, TaskOfHome]) -> TaskOfHome:
        """Raises RefusedError."""
        known = [(tasks[kind], needs) for kind, needs in self.kinds.items() if kind in tasks]
        for task, needs in known:
            if set(needs) <= set(task.takes):
                return task
        if known:
            task = known[0][0]
            raise RefusedError(
                f"the task {task.task_id} of {task.dag_id} has start, end, verify or on_mismatch of its own: leave "
                "them out of it, and run it once"
            )
        raise RefusedError(
            f"no task {self.operator} of a DAG that you may see has worked on this home yet: run it once"
        )

    def said(self, task: TaskOfHome, is_streamed: bool) -> str:
        """What it does, and by which DAG; the DAG alone where that is not known."""
        run, new = f"a run of {task.dag_id}", None if is_streamed else _OF_NEW_WINDOWS.get(task.does)
        what = self.text or new or _OF_BACKFILLS.get(task.does)
        return run if what is None else f"{what}: {run}"


_REPAIR = (
    "verifies these windows and, if no late row explains a difference, publishes the batch result of those that differ"
)
_OF_BACKFILLS = {
    PUBLISHES: "computes these windows in batch and publishes all of them, over what is published",
    VERIFIES: "verifies these windows and publishes none",
    REPAIRS: _REPAIR,
}
_OF_NEW_WINDOWS = {VERIFIES: "publishes those of these windows that never were, and verifies all of them"}
"""The same of a home without a stream."""

BATCHES = (
    Batch(
        "verify", {VERIFY: ("interval",), BACKFILL: ("interval", "verify")}, "NrtVerifyOperator",
        "compares these windows with the batch result",
    ),
    Batch("backfill", {BACKFILL: ("interval",)}, "NrtBackfillOperator"),
    Batch("repair", {BACKFILL: ("interval", "repair")}, "NrtBackfillOperator", _REPAIR, REPAIR),
)  # fmt: skip


def actions(state: State, tasks: Mapping[str, TaskOfHome], access: Access) -> list[dict[str, Any]]:
    """All actions, each with what it does, or why it can't be done."""
    dag_id = dag_of(tasks)
    may = access.may_act(dag_id)
    refused = None if may else "you may not change runs of the DAG that supervises this report"
    why = refused or _no_driver(state)
    found = [_shown("stop", why, "asks the driver to stop after its batch", dag_id)]
    is_streamed = any(one.files or one.rows for one in state.tail.position.sources.values())
    for batch in BATCHES:
        try:
            task = batch.task(tasks)
            denied = None if access.may_trigger(task.dag_id) else f"you may not trigger the DAG {task.dag_id}"
            found.append(_shown(batch.name, refused or denied, batch.said(task, is_streamed), task.dag_id))
        except RefusedError as wrong:
            found.append(_shown(batch.name, refused or str(wrong), "", None))
    return found


def _shown(name: str, why: str | None, text: str, dag_id: str | None) -> dict[str, Any]:
    return {"name": name, "enabled": why is None, "text": why or text, "dag_id": dag_id}


def dag_of(tasks: Mapping[str, TaskOfHome]) -> str | None:
    """The DAG that supervises the home."""
    task = tasks.get(STREAM)
    return task.dag_id if task is not None else None


def stop(home: Home, state: State) -> str:
    """Raises RefusedError, HomeError."""
    why = _no_driver(state)
    if why is not None:
        raise RefusedError(why)
    try:
        epoch = home.ask_to_stop()
    except OSError as wrong:
        raise HomeError(f"the home can't be written: {wrong.strerror}") from None
    return f"the driver of epoch {epoch} was asked to stop after its batch"


def _no_driver(state: State) -> str | None:
    return None if state.state in LIVING else f"no driver runs: it is {state.state}"


def windows(start: str, end: str) -> RunOverrides:
    """What a run over these windows asks for. Raises ValueError, InputError."""
    first, last = parse_clock(start), parse_clock(end)
    check_span(first, last)
    return RunOverrides(format_instant(first), format_instant(last))


def trigger(batch: Batch, task: TaskOfHome, asked: RunOverrides, user: str) -> tuple[str, str]:
    """Triggers a run; returns a message, and the link to the run. Raises RefusedError."""
    from airflow.api.common.trigger_dag import trigger_dag
    from airflow.models import DagModel
    from airflow.providers.common.compat.sdk import AirflowException
    from airflow.utils.types import DagRunTriggeredByType

    model = DagModel.get_dagmodel(task.dag_id)
    if model is None or model.is_stale:
        raise RefusedError(f"this Airflow has no DAG {task.dag_id} any more")
    # At the top level, for DAGs with a parameter of this name, which templates of their tasks read.
    repeated = {} if batch.on_mismatch is None else {"on_mismatch": batch.on_mismatch}
    note = f"{batch.name} of windows that end after {asked.start} and up to {asked.end}, from the page"
    noted: dict[str, Any] = {"note": note} if has_notes_of_new_runs() else {}
    try:
        run = trigger_dag(
            task.dag_id,
            triggered_by=DagRunTriggeredByType.UI,
            triggering_user_name=user,
            conf={**replace(asked, on_mismatch=batch.on_mismatch).to_conf(), **repeated},
            **noted,
        )
    except (AirflowException, ValueError) as wrong:
        raise RefusedError(f"{task.dag_id} can't be triggered: {wrong}") from None
    assert run is not None
    paused = "; the DAG is paused: unpause it" if model.is_paused else ""
    link = f"/dags/{quote(task.dag_id, safe='')}/runs/{quote(run.run_id, safe='')}"
    return f"triggered {task.dag_id}, run {run.run_id}{paused}", link


def note_in_audit_log(event: str, dag_id: str | None, user: str, report: str, asked: RunOverrides) -> None:
    """Browse > Audit Log shows who did it."""
    from airflow.models.log import Log
    from airflow.utils.session import create_session

    extra = json.dumps({"report": report, **asked.named()})
    with create_session() as session:
        session.add(Log(event=f"nrt_{event}", owner=user, extra=extra, dag_id=dag_id))
