"""INSERT OVERWRITE: rows instead of those that are there, of input that ends."""

from __future__ import annotations

from airflow_nrt.model.connectors import connector_of
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.parse import parsed
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation

_WHY = (
    "a table has the rows of one home, which writes each once. `airflow-nrt backfill` replaces those of windows that "
    "differ; for other rows make a new home and a new table"
)


def check_overwriting(findings: Findings, relation: Relation, statement: parsed.Insert) -> None:
    """Raises SqlError if its input never ends. Otherwise notes that OVERWRITE has no effect of its own."""
    if not statement.overwrites:
        return
    for table in findings.tables_below(relation.inputs):
        if connector_of(table).is_live(table):
            raise SqlError(
                f"INSERT OVERWRITE replaces what is there, and a stream only adds: table {table.name!r} never ends. "
                "Write INSERT INTO; `airflow-nrt backfill` replaces windows that differ",
                statement.at,
            )
    findings.idle[f"INSERT OVERWRITE {statement.table}"] = _WHY
