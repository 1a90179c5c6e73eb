"""Why a call means no function, and what to write in its place."""

from __future__ import annotations

from collections.abc import Iterable

from airflow_nrt.basics.nearest import nearest
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.expressions.aggregates import AGGREGATES, has_aggregate
from airflow_nrt.sql.expressions.functions import CHANGING, ELSEWHERE, MISSING
from airflow_nrt.sql.expressions.functions.clock import OF_SOURCES
from airflow_nrt.sql.expressions.functions.other_dialects import WRITTEN
from airflow_nrt.sql.expressions.known_functions import known_functions
from airflow_nrt.sql.parse import ast


def no_function(node: ast.Call, built_in: Iterable[str]) -> SqlError:
    """The error of a call that is none of the `built_in` functions, and none of the report."""
    name, at = node.name, node.at
    if name == "UUID" and node.arguments:
        return SqlError("UUID takes no arguments", at)
    if name == "UUID":
        return NotThereYet("UUID() in a computed column", at, "select it in a query over the table")
    if name in CHANGING:
        return SqlError(
            f"{name} gives another value in each run, so that no backfill could reproduce the results of the stream: "
            "use a column of the source",
            at,
        )
    if name in OF_SOURCES:
        return SqlError(f"{name} {OF_SOURCES[name]}", at)
    if name in ELSEWHERE:
        return SqlError(f"{name} {ELSEWHERE[name]}", at)
    if name in MISSING:
        return NotThereYet(f"function {name}", at, MISSING[name])
    if has_aggregate(name):
        return SqlError(f"{name} is an aggregate: it belongs in SELECT or HAVING of a GROUP BY", at)
    if name in WRITTEN:
        return SqlError(f"there is no function {name}: write {WRITTEN[name]}", at)
    hint = nearest(name, [*AGGREGATES, *built_in, *ELSEWHERE, *MISSING, *known_functions()])
    return SqlError(f"there is no function {name}{hint}", at)
