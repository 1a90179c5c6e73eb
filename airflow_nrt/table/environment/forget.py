"""How an environment forgets a table or a view, so that its name is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_nrt.sql.errors import Problems, SqlError
from airflow_nrt.sql.parse import parsed
from airflow_nrt.sql.planner import Planner
from airflow_nrt.table.checks.places import here
from airflow_nrt.table.checks.wrong import checked_name

if TYPE_CHECKING:
    from airflow_nrt.table.environment.environment import TableEnvironment


def forget(environment: TableEnvironment, name: str, kind: type[parsed.CreateTable | parsed.CreateView]) -> bool:
    """Whether there was one. Raises SqlError if something that stays reads it."""
    checked_name("a name is a text", name)
    rest = [one for one in environment.statements if not (isinstance(one, kind) and one.name == name)]
    if len(rest) == len(environment.statements):
        return False
    problems, planner = Problems(), Planner(environment.base)
    planner.add_all(rest, problems, {}, here())
    if problems.found:
        raise SqlError(f"{name!r} is still read, or written: {problems.found[0]}", here())
    environment.replace_statements(rest, planner)
    return True
