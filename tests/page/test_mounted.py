"""How the plugin shows the page: views that Airflow takes, and an app that is built when it is first asked."""

from __future__ import annotations

import threading

import tests.airflow_home  # noqa: F401
from airflow_nrt.page.mounted import EXTERNAL_VIEWS, FASTAPI_APPS, LazyApp


def test_airflow_takes_each_view() -> None:
    """One that it does not take hides the whole plugin."""
    from airflow.api_fastapi.core_api.datamodels.plugins import ExternalViewResponse

    taken = [ExternalViewResponse(**view).destination for view in EXTERNAL_VIEWS]  # type: ignore[arg-type]
    assert taken == ["nav", "dag", "dag_run", "task_instance", "task"]
    assert [app["url_prefix"] for app in FASTAPI_APPS] == ["/nrt"]


def test_the_app_is_built_once_and_with_the_first_request() -> None:
    from fastapi import FastAPI
    from starlette.testclient import TestClient

    built = []

    def build() -> FastAPI:
        built.append(threading.get_ident())
        app = FastAPI()
        app.add_api_route("/", lambda: "here")
        return app

    server = FastAPI()
    server.mount("/nrt", LazyApp(build))
    client = TestClient(server)
    assert built == []
    assert [client.get("/nrt/").json() for _ in range(3)] == ["here"] * 3
    assert len(built) == 1
