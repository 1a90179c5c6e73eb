"""Checks of rows that change: whether the sink takes them, and whether their state is bounded."""

from __future__ import annotations

from airflow_nrt.describe.bounds import is_cause, reads_without_end
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.change_formats import DEBEZIUM
from airflow_nrt.model.options.known import REPORT_OPTIONS, STATE_TTL, UNBOUNDED_STATE, read_option
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.errors import Problems, SqlError
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation

_OTHERWISE = (
    f"SET '{STATE_TTL}' = '1 h' to forget keys that no row touches for so long, or SET '{UNBOUNDED_STATE}' = 'allow'"
)


def check_takes_changes(findings: Findings, sink: Table, relation: Relation) -> None:
    """Raises SqlError if rows change and the connector of the sink can't retract any."""
    if not relation.is_changing or relation.adds_only:
        return
    cause = findings.boundless[relation.inputs[0]]
    if not connector_of(sink).takes_changes(sink):
        raise SqlError(
            f"Table sink {sink.name!r} doesn't support consuming update changes, which {cause.what} makes: "
            f"{cause.clause}, or declare PRIMARY KEY (…) NOT ENFORCED, by which rows are replaced, or write to "
            f"connector 'print', or to files of 'format' = '{DEBEZIUM.name}'",
            cause.at,
        )


def check_bounded(plan: Plan, findings: Findings, script: str) -> None:
    """Raises SqlError, or SqlErrors, at each query that would keep every key of a live source for ever."""
    if read_option(dict(plan.settings), REPORT_OPTIONS, UNBOUNDED_STATE) == "allow":
        return
    problems = Problems()
    for operator in plan.updating:
        if is_cause(plan, operator):
            cause = findings.boundless[operator.name]
            ways = "; or ".join([cause.clause, _OTHERWISE, *cause.bounds])
            problems.errors.append(SqlError(f"{cause.what} keeps every key for ever: {ways}", cause.at))
    for name, cause in findings.endless.items():
        if reads_without_end(plan, name):
            ways = "; or ".join([cause.clause, *cause.bounds, f"SET '{UNBOUNDED_STATE}' = 'allow'"])
            problems.errors.append(SqlError(f"{cause.what} keeps every key for ever: {ways}", cause.at))
    for window in plan.operators:
        numbering = window.numbering
        if numbering is not None and not numbering.ends and reads_without_end(plan, window.name):
            cause = findings.numbered[numbering.sql]
            ways = "; or ".join([cause.clause, *cause.bounds, f"SET '{UNBOUNDED_STATE}' = 'allow'"])
            problems.errors.append(SqlError(f"{cause.what} keeps every key for ever: {ways}", cause.at))
    problems.raise_any(script)
