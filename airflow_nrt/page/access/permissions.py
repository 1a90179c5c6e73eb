"""Who may see a home, and act on it: Airflow's auth manager decides it for the DAG whose task supervises the home.

A home that no task supervises, or whose DAG this Airflow does not know, is for administrators: those who may change
connections, because connections say where homes are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity, DagDetails
from airflow.models import DagModel

from airflow_nrt.airflow_features import has_teams

if TYPE_CHECKING:
    from airflow.api_fastapi.auth.managers.base_auth_manager import ResourceMethod
    from airflow.api_fastapi.auth.managers.models.base_user import BaseUser


class Access:
    """What one user may do. `dag_ids` are the DAGs that will be asked about."""

    def __init__(self, user: BaseUser, dag_ids: Iterable[str]) -> None:
        self.user = user
        self._manager: Any = get_auth_manager()
        self._teams = _known(set(dag_ids))
        self._answers: dict[tuple[object, ...], bool] = {}

    @property
    def is_administrator(self) -> bool:
        return self._asked(
            ("connections",), lambda: self._manager.is_authorized_connection(method="PUT", user=self.user)
        )

    def may_see(self, dag_id: str | None) -> bool:
        return self._may("GET", None, dag_id)

    def may_read_logs(self, dag_id: str | None) -> bool:
        return self._may("GET", DagAccessEntity.TASK_LOGS, dag_id)

    def may_act(self, dag_id: str | None) -> bool:
        """Whether the user may mark runs of the DAG failed or successful."""
        return self._may("PUT", DagAccessEntity.RUN, dag_id)

    def may_trigger(self, dag_id: str | None) -> bool:
        return self._may("POST", DagAccessEntity.RUN, dag_id)

    def _may(self, method: ResourceMethod, entity: DagAccessEntity | None, dag_id: str | None) -> bool:
        if dag_id is None or dag_id not in self._teams:
            return self.is_administrator
        details = DagDetails(id=dag_id, team_name=self._teams[dag_id])
        return self._asked(
            (method, entity, dag_id),
            lambda: self._manager.is_authorized_dag(
                method=method, access_entity=entity, details=details, user=self.user
            ),
        )

    def _asked(self, question: tuple[object, ...], ask: Any) -> bool:
        if question not in self._answers:
            self._answers[question] = bool(ask())
        return self._answers[question]


def _known(dag_ids: set[str]) -> Mapping[str, str | None]:
    """The DAGs that this Airflow knows, each with its team."""
    from airflow.utils.session import create_session
    from sqlalchemy import select

    if not dag_ids:
        return {}
    with create_session() as session:
        known = list(session.scalars(select(DagModel.dag_id).where(DagModel.dag_id.in_(dag_ids))))
        asked = known and has_teams()
        teams = DagModel.get_dag_id_to_team_name_mapping(known, session=session) if asked else {}
    return {dag_id: teams.get(dag_id) for dag_id in known}
