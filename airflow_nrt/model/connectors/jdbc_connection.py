"""A connection of Airflow as a database: what the option 'connection' stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.settings import CONNECTION_FIELDS, Settings


@dataclass(frozen=True)
class _Kind:
    """A type of connections: the name of its databases in a url, and their usual port."""

    in_url: str
    port: int


_KINDS: Mapping[str, _Kind] = {"postgres": _Kind("postgresql", 5432), "mysql": _Kind("mysql", 3306)}
"""By the type of the connection in Airflow."""


@dataclass(frozen=True)
class Login:
    """Where a database is, and who asks it. Without `user` and `password` the database needs none."""

    url: str
    user: str | None
    password: str | None


def login_of(connection: str, given: Settings, where: str) -> Login:
    """What the connection of this name stands for. `where` begins a message.

    Raises InputError if its fields were not given, or if it is of another type than databases that there are.
    """
    values = {field: dict(given.values).get(f"conn:{connection}.{field}") for field in CONNECTION_FIELDS}
    asked = f"{where}: connection {connection!r}"
    if not any(values.values()):
        raise InputError(
            f"{asked} has no value: a task takes it from Airflow; here give its fields with "
            f"--set conn:{connection}.conn_type=…, and so on: {', '.join(CONNECTION_FIELDS)}"
        )
    for field in ("conn_type", "host", "schema"):
        if not values[field]:
            raise InputError(f"{asked} has no {field}: fill it in, or give --set conn:{connection}.{field}=…")
    kind = _KINDS.get(str(values["conn_type"]))
    if kind is None:
        raise InputError(f"{asked} is of type {values['conn_type']!r}: name one of type {' or '.join(_KINDS)}")
    host, database = str(values["host"]), quote(str(values["schema"]), safe="")
    at = f"[{host}]" if ":" in host and not host.startswith("[") else host
    url = f"jdbc:{kind.in_url}://{at}:{values['port'] or kind.port}/{database}"
    return Login(url, values["login"], values["password"])
