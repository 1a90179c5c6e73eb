"""The page's app as Airflow mounts it, with Airflow's own users and database, in this process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tests.airflow_home  # noqa: F401  # isort: skip
from airflow import settings
from airflow.api_fastapi.app import create_auth_manager
from airflow.api_fastapi.auth.managers.simple.user import SimpleAuthManagerUser
from airflow.models import DagModel, import_all_models
from airflow.models.base import Base
from airflow.models.dagbundle import DagBundleModel
from airflow.models.team import Team
from airflow.utils.db import synchronize_log_template
from airflow.utils.session import create_session
from fastapi import FastAPI
from starlette.testclient import TestClient

from airflow_nrt.page.app import build_app
from airflow_nrt.page.homes.places import Root
from airflow_nrt.page.mounted import PREFIX, LazyApp

BASE = "http://airflow.example"
SAME_ORIGIN = {"X-NRT-Action": "1", "Origin": BASE, "Sec-Fetch-Site": "same-origin"}


def airflow_database() -> None:
    """The tables of Airflow's models, made at once instead of migration by migration."""
    import_all_models()
    Base.metadata.create_all(settings.engine)
    synchronize_log_template()


def know_dags(*dag_ids: str, team: str | None = None, paused: bool = False) -> None:
    """DAGs as the dag-processor leaves them, of one bundle a team."""
    bundle = f"bundle-{team or 'none'}"
    with create_session() as session:
        if session.get(DagBundleModel, bundle) is None:
            made = DagBundleModel(name=bundle)
            if team is not None:
                made.teams = [Team(name=team)]
            session.add(made)
            session.flush()
        for dag_id in dag_ids:
            session.merge(DagModel(dag_id=dag_id, bundle_name=bundle, is_stale=False, is_paused=paused))


def mounted(roots: Sequence[Root]) -> FastAPI:
    """What Airflow's api-server does with the plugin's app."""
    server = FastAPI()
    server.mount(PREFIX, LazyApp(lambda: build_app(lambda: roots)))
    return server


@dataclass
class Lab:
    """Clients of one app; `root` has its homes."""

    root: Path
    server: FastAPI

    @classmethod
    def over(cls, root: Path) -> Lab:
        airflow_database()
        create_auth_manager()
        return cls(root, mounted([Root(str(root), "nrt_default")]))

    def client(self, role: str | None = "admin", teams: Iterable[str] = ()) -> TestClient:
        """A browser of a user of this role; None: of nobody."""
        client = TestClient(self.server, base_url=BASE, follow_redirects=False)
        if role is not None:
            user = SimpleAuthManagerUser(username=f"a {role}", role=role, teams=list(teams))
            client.cookies.set("_token", create_auth_manager().generate_jwt(user))
        return client

    def get(self, path: str, role: str | None = "admin", **parameters: Any) -> Any:
        """The JSON of an answer that is right."""
        answer = self.client(role).get(f"{PREFIX}/api/{path}", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()


def serialize_dag(dag_id: str) -> None:
    """A DAG that can be triggered."""
    from airflow.models.serialized_dag import SerializedDagModel
    from airflow.providers.standard.operators.empty import EmptyOperator
    from airflow.sdk import DAG
    from airflow.serialization.serialized_objects import LazyDeserializedDAG

    with DAG(dag_id, schedule=None) as dag:
        EmptyOperator(task_id="task")
    SerializedDagModel.write_dag(LazyDeserializedDAG.from_dag(dag), bundle_name="bundle-none")
