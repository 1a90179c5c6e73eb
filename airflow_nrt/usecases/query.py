"""Runs one query over bounded input, to the end."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.known import TIME_ZONE
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.sql.parse.words.lexer import TokenKind, tokenize
from airflow_nrt.sql.planner import plan_query
from airflow_nrt.usecases.requests.query import QueryRequest
from airflow_nrt.usecases.sessions import session


def query(request: QueryRequest) -> list[str]:
    """The result as JSON lines. Raises InputError for a query that can't be planned."""
    plan = _plan(request)
    with session(plan, request.master) as spark:
        # Spark is loaded while Java starts.
        from airflow_nrt.engine.query import run_bounded, run_changelog

        return list((run_changelog if request.changelog else run_bounded)(spark, plan, request.mode))


def split_script(text: str, origin: str) -> tuple[str, str]:
    """The declarations of a script, and the query after them. Raises InputError for a text that is no SQL.

    `CREATE TABLE t …; SELECT …` gives `CREATE TABLE t …;` and `SELECT …`.
    """
    try:
        tokens = tokenize(text)
    except SqlError as wrong:
        raise InputError(f"{origin}: {wrong}") from None
    ends = [one.end for one in tokens if (one.kind, one.text) == (TokenKind.SYMBOL, ";") and text[one.end :].strip()]
    last = max(ends, default=0)
    return text[:last], text[last:].lstrip()


def _plan(request: QueryRequest) -> Plan:
    zone = {TIME_ZONE: request.zone} if request.zone else {}
    try:
        return plan_query(request.tables.text, request.query.text, request.base, overrides=zone)
    except (SqlError, SqlErrors) as wrong:
        first = wrong.problems[0] if isinstance(wrong, SqlErrors) else wrong
        raise InputError(f"{request.origin(first.script)}: {wrong}") from None
