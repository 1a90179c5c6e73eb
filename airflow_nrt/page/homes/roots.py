"""The roots below which homes are searched: `home` of connections of type `nrt`, and the option `[nrt] homes`.

All connections in the database and in the environment are found; in a secrets backend only `nrt_default`, because no
backend lists its connections.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import Any

from airflow.configuration import conf
from airflow.models import Connection
from airflow.secrets.environment_variables import EnvironmentVariablesBackend
from airflow.utils.session import create_session
from sqlalchemy import select

from airflow_nrt.page.homes.places import Root

_TYPE = "nrt"
_VARIABLE = "AIRFLOW_CONN_"
_DEFAULT = "nrt_default"


def roots() -> list[Root]:
    """The roots of the option come first: they have no group."""
    named = conf.get("nrt", "homes", fallback="") or ""
    found = [Root(path.strip(), "nrt.homes") for path in named.split(os.pathsep) if path.strip()]
    for connection in _connections():
        fields = _fields(connection)
        if connection.conn_type == _TYPE and isinstance(fields.get("home"), str) and fields["home"]:
            found.append(Root(fields["home"], connection.conn_id, fields.get("group") or None))
    return found


def _connections() -> Iterator[Any]:
    """If one id has several, the environment wins, as elsewhere in Airflow."""
    ids = [name.removeprefix(_VARIABLE).lower() for name in os.environ if name.startswith(_VARIABLE)]
    in_environment = {conn_id: _read(EnvironmentVariablesBackend().get_connection, conn_id) for conn_id in ids}
    with create_session() as session:
        stored = session.scalars(select(Connection).where(Connection.conn_type == _TYPE)).all()
        session.expunge_all()
    found = {**{one.conn_id: one for one in stored}, **in_environment}
    if _DEFAULT not in found:
        found[_DEFAULT] = _read(Connection.get_connection_from_secrets, _DEFAULT)
    yield from (one for one in found.values() if one is not None)


def _read(look_up: Callable[[str], Any], conn_id: str) -> Any:
    """None for a connection that is missing, or can't be read: other parts of Airflow report that."""
    with contextlib.suppress(Exception):
        return look_up(conn_id)
    return None


def _fields(connection: Any) -> dict[str, Any]:
    found = _read(lambda _: connection.extra_dejson, "")
    return found if isinstance(found, dict) else {}
