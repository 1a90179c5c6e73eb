"""Drops a table or a view from an environment, so that its name is free."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from airflow_nrt.sql.errors import Problems, SqlError
from airflow_nrt.sql.parse import parsed
from airflow_nrt.sql.planner import Planner
from airflow_nrt.table.checks.arguments import checked_name
from airflow_nrt.table.checks.call_site import here


def without(
    statements: Sequence[parsed.Statement], name: str, kind: type[parsed.CreateTable | parsed.CreateView], base: Path
) -> tuple[list[parsed.Statement], Planner] | None:
    """The other statements, and a planner with them; None if there is no such table or view.

    Raises SqlError if a remaining statement reads it.
    """
    checked_name("a name is a text", name)
    rest = [one for one in statements if not (isinstance(one, kind) and one.name == name)]
    if len(rest) == len(statements):
        return None
    problems, planner = Problems(), Planner(base)
    planner.add_all(rest, problems, {}, here())
    if problems.errors:
        raise SqlError(f"{name!r} is still read, or written: {problems.errors[0]}", here())
    return rest, planner
