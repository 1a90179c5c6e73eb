"""Airflow's REST API, as far as the demonstration and the tests need it."""

from __future__ import annotations

import contextlib
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from airflow_nrt.basics.errors import NrtError

_ATTEMPTS = 8
ENDED = ("success", "failed")


class ConflictError(NrtError):
    """The requested object exists already, perhaps from the same request, whose answer was lost."""


class NotFoundError(NrtError):
    """The requested object doesn't exist, perhaps not yet."""


class AirflowClient:
    """Repeats requests that fail with "database is locked" of SQLite; raises NrtError for all other refusals of
    Airflow.

    `token` belongs to a user who has signed in. Without one only its health is answered, until `sign_in`.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = url
        # Without the proxy of the environment, because Airflow is on this host.
        self._http = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.token = token

    def sign_in(self, user: str, password: str) -> None:
        """Goes on as this user. Raises NrtError if Airflow refuses."""
        self.token = None
        self.token = self._patiently("POST", "/auth/token", {"username": user, "password": password})["access_token"]

    def is_healthy(self) -> bool:
        """Whether the database and all four processes are well."""
        try:
            parts = self._ask("GET", "/api/v2/monitor/health", None)
            return all((parts.get(name) or {}).get("status") == "healthy" for name in _PARTS)
        except _TROUBLE:
            return False

    def get(self, path: str) -> Any:
        return self.request("GET", path)

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """The answer as JSON, None where there is none. `path` is below `/api/v2`.

        Raises ConflictError for a 409, NotFoundError for a 404.
        """
        return self._patiently(method, f"/api/v2{path}", body)

    def _patiently(self, method: str, path: str, body: Any) -> Any:
        trouble = ""
        for attempt in range(_ATTEMPTS):
            try:
                return self._ask(method, path, body)
            except urllib.error.HTTPError as refusal:
                trouble = f"{refusal.code} {refusal.read(1000).decode(errors='replace')}"
                if refusal.code < 500:
                    break
            except _TROUBLE as wrong:
                trouble = repr(wrong)
            time.sleep(0.25 * 2**attempt)
        kind = _KINDS.get(trouble[:3], NrtError)
        raise kind(f"Airflow refused {method} {path}: {trouble}")

    def _ask(self, method: str, path: str, body: Any) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        asked = urllib.request.Request(f"{self._url}{path}", data, headers, method=method)
        with self._http.open(asked, timeout=30) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    # ------------------------------------------------------------------ DAGs and runs

    def wait_for_dag(self, dag_id: str, timeout: float = 120) -> None:
        """Waits until the DAG was parsed. Raises NrtError with import errors if it was not in time."""

        def is_there() -> bool:
            return any(dag["dag_id"] == dag_id for dag in self.get("/dags?limit=100")["dags"])

        try:
            wait_until(is_there, timeout, f"the DAG {dag_id}")
        except NrtError as late:
            errors = [error["stack_trace"] for error in self.get("/importErrors")["import_errors"]]
            raise NrtError("\n".join([str(late), *errors])) from None

    def trigger(self, dag_id: str, run_id: str, conf: dict[str, Any] | None = None) -> str:
        """Triggers a manual run; triggering the same run twice has no effect."""
        body = {"dag_run_id": run_id, "logical_date": None, "conf": conf or {}}
        with contextlib.suppress(ConflictError):
            self.request("POST", f"/dags/{dag_id}/dagRuns", body)
        return run_id

    def runs(self, dag_id: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.get(f"/dags/{dag_id}/dagRuns?limit=100")["dag_runs"]
        return found

    def run_state(self, dag_id: str, run_id: str) -> str:
        state: str = self.get(_run(dag_id, run_id))["state"]
        return state

    def wait_for_run(self, dag_id: str, run_id: str, timeout: float = 300) -> str:
        """Waits for the end of a run, and returns its state."""
        wait_until(lambda: self.run_state(dag_id, run_id) in ENDED, timeout, f"the end of {dag_id} {run_id}")
        return self.run_state(dag_id, run_id)

    def backfill(self, dag_id: str, start: str, end: str, **options: Any) -> int:
        """Requests a backfill, as the button of the UI does; returns its id. Requesting it twice has no effect."""
        body = {"dag_id": dag_id, "from_date": start, "to_date": end, **options}
        try:
            number: int = self.request("POST", "/backfills", body)["id"]
            return number
        except ConflictError:
            for one in self.get(f"/backfills?dag_id={quote(dag_id)}")["backfills"]:
                if one["completed_at"] is None and (one["from_date"][:19], one["to_date"][:19]) == (
                    start[:19],
                    end[:19],
                ):
                    return int(one["id"])
            raise

    # ------------------------------------------------------------------ tasks

    def task(self, dag_id: str, run_id: str, task_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.get(_task(dag_id, run_id, task_id))
        return found

    def task_state(self, dag_id: str, run_id: str, task_id: str) -> str | None:
        state: str | None = self.task(dag_id, run_id, task_id)["state"]
        return state

    def wait_for_task(self, dag_id: str, run_id: str, task_id: str, *states: str, timeout: float = 180) -> str:
        """Waits until the state is one of these, and returns it."""
        state: list[str | None] = [None]

        def is_there() -> bool:
            state[0] = self.task_state(dag_id, run_id, task_id)
            return state[0] in states

        wait_until(is_there, timeout, f"{dag_id}.{task_id} to be {' or '.join(states)}", lambda: f"it is {state[0]}")
        return str(state[0])

    def mark(self, dag_id: str, run_id: str, task_id: str, state: str) -> None:
        """What "mark as" does in the UI."""
        self.request("PATCH", _task(dag_id, run_id, task_id), {"new_state": state})

    def clear(self, dag_id: str, run_id: str, task_id: str) -> None:
        """What "clear" does in the UI."""
        body = {"dry_run": False, "dag_run_id": run_id, "task_ids": [task_id], "only_failed": False}
        self.request("POST", f"/dags/{dag_id}/clearTaskInstances", body)

    def xcom(self, dag_id: str, run_id: str, task_id: str, key: str = "return_value") -> Any:
        return self.get(f"{_task(dag_id, run_id, task_id)}/xcomEntries/{key}?deserialize=true")["value"]

    def wait_for_xcom(self, dag_id: str, run_id: str, task_id: str, key: str, timeout: float = 60) -> Any:
        """Waits until the task or its trigger has pushed the key, and returns the value."""
        found: list[Any] = []

        def is_there() -> bool:
            with contextlib.suppress(NotFoundError):
                found.append(self.xcom(dag_id, run_id, task_id, key))
            return bool(found)

        wait_until(is_there, timeout, f"XCom {key} of {dag_id}.{task_id}")
        return found[0]

    def log(self, dag_id: str, run_id: str, task_id: str, attempt: int = 1) -> str:
        """What a task logged, line by line, with the messages of its errors."""
        content = self.get(f"{_task(dag_id, run_id, task_id)}/logs/{attempt}?full_content=true")["content"]
        return "\n".join(text for line in content for text in _texts(line))


def _texts(line: Any) -> list[str]:
    if not isinstance(line, dict):
        return [str(line)]
    errors = line.get("error_detail") or []
    return [str(line.get("event")), *(f"{error['exc_type']}: {error['exc_value']}" for error in errors)]


_TROUBLE = (OSError, http.client.HTTPException, ValueError)
_KINDS = {"404": NotFoundError, "409": ConflictError}
_PARTS = ("metadatabase", "scheduler", "triggerer", "dag_processor")


def wait_until(
    is_so: Callable[[], bool], timeout: float, what: str, found: Callable[[], str] = lambda: "it did not come"
) -> None:
    """Raises NrtError if it is not so within `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while not is_so():
        if time.monotonic() > deadline:
            raise NrtError(f"waited {timeout:g} s for {what}: {found()}")
        time.sleep(0.5)


def _run(dag_id: str, run_id: str) -> str:
    return f"/dags/{dag_id}/dagRuns/{quote(run_id, safe='')}"


def _task(dag_id: str, run_id: str, task_id: str) -> str:
    return f"{_run(dag_id, run_id)}/taskInstances/{task_id}"
