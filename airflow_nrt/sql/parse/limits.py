"""Limits of a script and its plan: time and memory of planning and of a driver grow with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from airflow_nrt.model.options.known import MAX_NODES, MAX_SCRIPT, REPORT_OPTIONS, read_option
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.parse import parsed

_LONGEST_SQL = 8 * 1024**2
"""The most letters of Spark SQL for one expression, or for the rows of one query. Spark takes minutes to parse them."""
_START = Place(1, 1, 0)
_NODES: ContextVar[int | None] = ContextVar("most nodes", default=None)


def check_script(script: str, settings: Mapping[str, str]) -> None:
    """Raises SqlError for a script that is larger than these settings allow."""
    check_size(len(script), settings)
    check_size(len(script.encode(errors="surrogatepass")), settings)


def check_size(size: int, settings: Mapping[str, str]) -> None:
    """Raises SqlError if a script of at least `size` bytes is too large."""
    most = _limit(MAX_SCRIPT, settings)
    if size > most:
        raise SqlError(
            f"the script has {size} bytes or more, the limit is {most}: make several reports of it, or give "
            f"--set {MAX_SCRIPT}='{-(-size // 1024**2)} mb' (of an operator: settings)",
            _START,
        )


def most_nodes(statements: Iterable[parsed.Statement], overrides: Mapping[str, str]) -> int:
    """The most nodes that the plan may have, by the last SET or its override."""
    settings = {one.key: one.value for one in statements if isinstance(one, parsed.SetOption)}
    return int(_limit(MAX_NODES, {**settings, **overrides}))


@contextmanager
def of_at_most(nodes: int | None) -> Iterator[None]:
    """Plans with this limit of nodes."""
    token = _NODES.set(nodes)
    try:
        yield
    finally:
        _NODES.reset(token)


def check_sql(sql: str, at: Place) -> None:
    """Raises SqlError if an expression became more Spark SQL than Spark can parse."""
    if len(sql) > _LONGEST_SQL:
        raise SqlError(
            "this becomes more than 8 MB of Spark SQL, because functions repeat their arguments: compute the inner "
            "part in a subquery in FROM, and use its column here",
            at,
        )


def check_rows(sql: str, at: Place) -> None:
    """Raises SqlError if the rows of a query need more SELECTs than the limit of nodes."""
    most = _NODES.get() or REPORT_OPTIONS[MAX_NODES].default
    # Each SELECT is longer than this word, so that most queries need no search.
    if len(sql) > most * len("(SELECT ") and sql.count("SELECT ") > most:
        check_nodes(sql.count("SELECT "), at)
    check_sql(sql, at)


def check_nodes(nodes: int, at: Place) -> None:
    """Raises SqlError for a plan with more nodes than the limit."""
    most = _NODES.get() or REPORT_OPTIONS[MAX_NODES].default
    if nodes > most:
        raise SqlError(
            f"the plan has {nodes} SELECTs and operators here, the limit is {most}: a view is written out wherever it "
            f"is read. INSERT a view with many readers into a table of its own, or SET '{MAX_NODES}'",
            at,
        )


def check_sets(count: int, at: Place) -> None:
    """Raises SqlError for more grouping sets than the limit of nodes. Each is an aggregation."""
    most = _NODES.get() or REPORT_OPTIONS[MAX_NODES].default
    if count > most:
        number = count if count < 10**9 else "more than a billion"
        raise SqlError(
            f"this GROUP BY has {number} grouping sets, the limit is {most}: name only those that you need with "
            f"GROUPING SETS, or SET '{MAX_NODES}'",
            at,
        )


def _limit(name: str, settings: Mapping[str, str]) -> Any:
    try:
        return read_option(settings, REPORT_OPTIONS, name)
    except ValueError:
        # The error is reported where the option is read.
        return REPORT_OPTIONS[name].default
