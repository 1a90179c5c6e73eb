"""Values that Airflow keeps, for the placeholders of a report, `${conn:NAME.field}` and `${var:NAME}`, and for tables
with the option 'connection'.

They are asked for when a task runs, and travel as its settings do. No file of a home has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.settings import CONNECTION_FIELDS, STORED, connections

_FIELDS: Mapping[str, Callable[[Any], Any]] = {
    "host": lambda connection: connection.host,
    "port": lambda connection: connection.port,
    "login": lambda connection: connection.login,
    "password": lambda connection: connection.password,
    "schema": lambda connection: connection.schema,
}


def stored_values(script: str) -> dict[str, str]:
    """The values that Airflow keeps for a script, by the names of their settings.

    Raises InputError if there is no such connection, field or variable.
    """
    whole = (_whole(name) for name in sorted(connections(script)))
    fields = {setting: text for connection in whole for setting, text in connection.items()}
    return fields | {name: _value(name) for name in sorted(set(STORED.findall(script)))}


def _whole(name: str) -> dict[str, str]:
    """What a connection has of the fields that a table needs. What it lacks is named where the table is planned."""
    connection = _connection(name, f"a table has 'connection' = '{name}'")
    found = {field: getattr(connection, field) for field in CONNECTION_FIELDS}
    return {f"conn:{name}.{field}": str(value) for field, value in found.items() if value not in (None, "")}


def _value(name: str) -> str:
    kind, _, rest = name.partition(":")
    if kind == "var":
        return _variable(rest)
    connection, _, field = rest.partition(".")
    return _field(connection, field)


def _variable(name: str) -> str:
    from airflow.sdk import Variable
    from airflow.sdk.exceptions import AirflowRuntimeError

    try:
        return str(Variable.get(name))
    except (AirflowRuntimeError, KeyError):
        raise InputError(
            f"the report asks for ${{var:{name}}}, and Airflow has no variable {name!r}: add it under Admin > Variables"
        ) from None


def _field(name: str, field: str) -> str:
    asked = f"the report asks for ${{conn:{name}.{field}}}"
    connection = _connection(name, asked)
    if field.startswith("extra."):
        found = connection.extra_dejson.get(field.removeprefix("extra."))
    elif field in _FIELDS:
        found = _FIELDS[field](connection)
    else:
        raise InputError(f"{asked}: a connection has {', '.join(_FIELDS)} and extra.NAME")
    if found in (None, ""):
        raise InputError(f"{asked}, and connection {name!r} has none: fill it in under Admin > Connections")
    return str(found)


def _connection(name: str, asked: str) -> Any:
    from airflow.providers.common.compat.sdk import AirflowNotFoundException
    from airflow.sdk import BaseHook

    try:
        return BaseHook.get_connection(name)
    except AirflowNotFoundException:
        raise InputError(f"{asked}, and there is no connection {name!r}: add it under Admin > Connections") from None
