"""How Airflow shows the page: an app under `/nrt`, built with its first request, and views of it in the navigation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

PREFIX = "/nrt"


class LazyApp:
    """An ASGI app that is built with its first request: each process of Airflow loads the plugin, few serve pages."""

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build
        self._app: Any = None
        self._lock = threading.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self._app is None:
            with self._lock:
                self._app = self._app or self._build()
        await self._app(scope, receive, send)


def _build() -> Any:
    from airflow_nrt.page.app import build_app

    return build_app()


FASTAPI_APPS = [{"app": LazyApp(_build), "url_prefix": PREFIX, "name": "Near-real-time reports"}]
_OF_DAG = f"{PREFIX}/?dag_id={{DAG_ID}}"
_OF_RUN = f"{_OF_DAG}&run_id={{RUN_ID}}"


def _view(name: str, href: str, destination: str, route: str, **more: str) -> dict[str, str]:
    icon = f"{PREFIX}/static/icon.svg"
    return {"name": name, "href": href, "destination": destination, "url_route": route, "icon": icon, **more}


EXTERNAL_VIEWS = [
    _view("NRT reports", f"{PREFIX}/", "nav", "nrt_reports", category="browse"),
    _view("NRT", _OF_DAG, "dag", "nrt_dag"),
    _view("NRT", _OF_RUN, "dag_run", "nrt_run"),
    _view("NRT", f"{_OF_RUN}&task_id={{TASK_ID}}", "task_instance", "nrt_task_instance"),
    _view("NRT", f"{_OF_DAG}&task_id={{TASK_ID}}", "task", "nrt_task"),
]
"""Airflow fills the names in braces, URL-encoded."""
