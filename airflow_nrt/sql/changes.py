"""Rows that change: which sinks take them, and what must bound the state behind them."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.report.options import REPORT_OPTIONS, STATE_TTL, UNBOUNDED_STATE, read_option
from airflow_nrt.report.tables import CHANGELOG, Table
from airflow_nrt.sql.errors import Problems, SqlError
from airflow_nrt.sql.findings import Findings
from airflow_nrt.sql.relation import Relation

_OTHERWISE = (
    f"or SET '{STATE_TTL}' = '1 h' to forget keys that no row touches for so long, or SET '{UNBOUNDED_STATE}' = 'allow'"
)


def check_takes_changes(found: Findings, sink: Table, relation: Relation) -> None:
    """Raises SqlError if rows change and the connector of the sink can't take any back."""
    if relation.is_changing and not relation.adds_only and not sink.takes_changes:
        cause = found.boundless[relation.inputs[0]]
        raise SqlError(
            f"Table sink {sink.name!r} doesn't support consuming update changes, which {cause.what} makes: "
            f"{cause.clause}, or write to connector 'print', or to files of 'format' = '{CHANGELOG}'",
            cause.at,
        )


def check_bounded(found: Findings, settings: Mapping[str, str], script: str) -> None:
    """Raises SqlError, or SqlErrors, at each query that would remember every key of a live source for ever."""
    forgets = bool(read_option(settings, REPORT_OPTIONS, STATE_TTL))
    if forgets or read_option(settings, REPORT_OPTIONS, UNBOUNDED_STATE) == "allow":
        return
    problems = Problems()
    for operator in found.updating:
        if found.live_sources(operator):
            cause = found.boundless[operator.name]
            problems.found.append(
                SqlError(f"{cause.what} keeps every key for ever: {cause.clause}; {_OTHERWISE}", cause.at)
            )
    problems.raise_any(script)
