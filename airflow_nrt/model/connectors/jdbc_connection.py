"""A connection of Airflow as a database: what the option 'connection' stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.settings import CONNECTION_FIELDS, Settings
from airflow_nrt.model.shapes.shape import Given, MisfitError
from airflow_nrt.model.shapes.url import URL


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

    Raises InputError if its fields were not given, if a run has chosen where the database is, or if it is of another
    type than databases that there are.
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
    chosen = {name.removeprefix(f"conn:{connection}.") for name in set(given.of_run).difference(given.unsafe)}
    for field in ("conn_type", "host", "port"):
        if field in chosen:
            raise InputError(f"{asked}: its {field} comes from a run, which may not choose a server")
    host, database = str(values["host"]), Given("schema", str(values["schema"]), "schema" in chosen)
    at = f"[{host}]" if ":" in host and not host.startswith("[") else host
    server = f"jdbc:{kind.in_url}://{at}:{values['port'] or kind.port}/"
    try:
        (path,) = URL.texts((server, database))
    except MisfitError as wrong:
        raise InputError(f"{asked}: its schema {wrong}") from None
    return Login(f"{server}{path}", values["login"], values["password"])
