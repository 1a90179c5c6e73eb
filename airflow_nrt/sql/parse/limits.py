"""How large a script and its plan may be: planning takes time and memory in proportion, and a driver as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from airflow_nrt.model.options.known import MAX_NODES, MAX_SCRIPT, REPORT_OPTIONS, read_option
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.parse import parsed

_LONGEST_SQL = 8 * 1024**2
"""Letters of Spark SQL that one expression, or the rows of one query, may become. Its parser takes minutes for them."""
_START = Place(1, 1, 0)
_NODES: ContextVar[int | None] = ContextVar("most nodes", default=None)


def check_script(script: str, settings: Mapping[str, str]) -> None:
    """Raises SqlError for a script that is larger than these settings allow."""
    check_size(len(script), settings)
    check_size(len(script.encode(errors="surrogatepass")), settings)


def check_size(size: int, settings: Mapping[str, str]) -> None:
    """Raises SqlError for a script that has so many bytes, or more."""
    most = _limit(MAX_SCRIPT, settings)
    if size > most:
        raise SqlError(
            f"the script has {size} bytes or more, the limit is {most}: make several reports of it, or give "
            f"--set {MAX_SCRIPT}='{-(-size // 1024**2)} mb' (of an operator: settings)",
            _START,
        )


def most_nodes(statements: Iterable[parsed.Statement], overrides: Mapping[str, str]) -> int:
    """How many nodes the plan may have, by the last SET or what overrides it."""
    found = {one.key: one.value for one in statements if isinstance(one, parsed.SetOption)}
    return int(_limit(MAX_NODES, {**found, **overrides}))


@contextmanager
def of_at_most(nodes: int | None) -> Iterator[None]:
    """Plans with so many nodes as the limit."""
    token = _NODES.set(nodes)
    try:
        yield
    finally:
        _NODES.reset(token)


def check_sql(sql: str, at: Place) -> None:
    """Raises SqlError where an expression became more Spark SQL than any Spark can read."""
    if len(sql) > _LONGEST_SQL:
        raise SqlError(
            "this becomes more than 8 MB of Spark SQL, because functions repeat what they are given: compute the "
            "inner part in a query behind FROM, and name its column here",
            at,
        )


def check_rows(sql: str, at: Place) -> None:
    """Raises SqlError where the rows of a query are made by more SELECTs than the limit of nodes."""
    most = _NODES.get() or REPORT_OPTIONS[MAX_NODES].default
    # Each is longer than that, so most queries are not searched.
    if len(sql) > most * len("(SELECT ") and sql.count("SELECT ") > most:
        check_nodes(sql.count("SELECT "), at)
    check_sql(sql, at)


def check_nodes(nodes: int, at: Place) -> None:
    """Raises SqlError for a plan with more nodes than the limit."""
    most = _NODES.get() or REPORT_OPTIONS[MAX_NODES].default
    if nodes > most:
        raise SqlError(
            f"the plan has {nodes} SELECTs and operators here, the limit is {most}: views are written out wherever "
            f"they are read, so INSERT one that many read into a table of its own, or SET '{MAX_NODES}'",
            at,
        )


def check_sets(count: int, at: Place) -> None:
    """Raises SqlError for more grouping sets than the limit of nodes, for each is an aggregation."""
    most = _NODES.get() or REPORT_OPTIONS[MAX_NODES].default
    if count > most:
        told = count if count < 10**9 else "more than a billion"
        raise SqlError(
            f"this GROUP BY asks for {told} grouping sets, the limit is {most}: name those that are read, by "
            f"GROUPING SETS, or SET '{MAX_NODES}'",
            at,
        )


def _limit(name: str, settings: Mapping[str, str]) -> Any:
    try:
        return read_option(settings, REPORT_OPTIONS, name)
    except ValueError:
        # What is wrong with it is said where the option is read.
        return REPORT_OPTIONS[name].default
