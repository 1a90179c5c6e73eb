"""Rows that change: which sinks take them, and what must bound the state behind them."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.report.options import REPORT_OPTIONS, STATE_TTL, UNBOUNDED_STATE, read_option
from airflow_nrt.report.tables import Table
from airflow_nrt.sql.errors import Place, Problems, SqlError
from airflow_nrt.sql.findings import Findings

TAKES_CHANGES = ("print",)


def check_takes_changes(sink: Table, at: Place) -> None:
    """Raises SqlError if the connector of a sink can't take rows back."""
    if sink.connector not in TAKES_CHANGES:
        raise SqlError(
            f"Table sink {sink.name!r} doesn't support consuming update changes, and this query changes its rows as "
            "more come: GROUP BY (or PARTITION BY, or join) with both window_start and window_end publishes each "
            "window once; connector 'print' takes changes",
            at,
        )


def check_bounded(found: Findings, settings: Mapping[str, str], script: str) -> None:
    """Raises SqlError, or SqlErrors, at each query that would remember every key of a live source for ever."""
    forgets = bool(read_option(settings, REPORT_OPTIONS, STATE_TTL))
    if forgets or read_option(settings, REPORT_OPTIONS, UNBOUNDED_STATE) == "allow":
        return
    problems = Problems()
    for operator in found.used_updating():
        if found.live_sources(operator):
            problems.found.append(found.unbounded[operator.name])
    problems.raise_any(script)
