"""WITH: the queries that it names, and which of them a query can read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.limits import check_nodes


@dataclass(frozen=True, eq=False)
class Cte:
    """A query of WITH, and those that it can read: the ones before it, and those of outer WITHs."""

    view: parsed.CreateView
    known: Ctes


Ctes = Mapping[str, "Cte | None"]
"""The queries that WITH names, for a query. None stands for a name that comes after the one that is being planned."""


def with_all(named: Sequence[tuple[str, tuple[str, ...], ast.Query]], outer: Ctes, at: Place) -> Ctes:
    """The queries that a WITH names, and those of the `outer` ones."""
    check_nodes(len(named), at)
    scope: dict[str, Cte | None] = {**dict.fromkeys(name for name, _, _ in named), **outer}
    for name, columns, query in named:
        scope[name] = Cte(parsed.CreateView(name, columns, query, False, at), dict(scope))
    return scope
