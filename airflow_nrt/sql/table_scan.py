"""A table in FROM: which partitions and which rows of it are read, and whether its rows change."""

from __future__ import annotations

from collections.abc import Collection

from airflow_nrt.basics.spelling import quote
from airflow_nrt.model.tables import Table
from airflow_nrt.sql.ddl.ddl import check_source, scope_columns, with_options
from airflow_nrt.sql.errors import NotThereYet
from airflow_nrt.sql.from_clause.partition_pruning import partition_filter
from airflow_nrt.sql.inserts.timing import check_untimed
from airflow_nrt.sql.joins.versioned import Versioned, versioned
from airflow_nrt.sql.logical.scan import Scan
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.relations.column_demand import Demand
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.relation import Relation
from airflow_nrt.sql.updating.sliding import is_over_time, recent_rows, sliding_of
from airflow_nrt.sql.updating.update_tables import changing_rows, newest_rows


def scanned(
    findings: Findings,
    declared: Table,
    node: ast.TableName,
    written: Collection[str],
    where: ast.Expression | None,
    demand: Demand,
) -> Relation:
    """The rows of a table as the SELECT around it reads them. `where` may leave out partitions.

    Raises SqlError, also if the table is among those that the script has `written`, and can't be read then.
    """
    table, rows = _read(findings, declared, node, written)
    findings.note_partitions(table, partition_filter(table, node.alias or node.name, where))
    sliding = sliding_of(demand.where)
    if sliding is not None and is_over_time(sliding, table, node.alias or node.name):
        rows = recent_rows(findings, rows, table, sliding, demand)
    if table.is_changelog:
        return changing_rows(findings, rows, table, demand, node.at)
    return newest_rows(findings, rows, table, demand, node.at) if table.primary_key else rows


def versions_of(findings: Findings, declared: Table, node: ast.TableName, written: Collection[str]) -> Versioned:
    """A table as the versions of its keys. Raises SqlError as `scanned` does, and if it is no versioned table."""
    table, rows = _read(findings, declared, node, written)
    findings.note_partitions(table, None)
    time = table.rowtime_type if table.watermark is not None else None
    return versioned(table.name, rows, table.primary_key, time, node.at, table.is_changelog)


def _read(findings: Findings, declared: Table, node: ast.TableName, written: Collection[str]) -> tuple[Table, Relation]:
    """The table with the options of the query, and its rows as they arrive."""
    table = with_options(declared, dict(node.options))
    check_source(table, node.at)
    check_untimed(declared, node, written)
    if not findings.note_source(table):
        raise NotThereYet(f"reading {node.name!r} twice with different OPTIONS", node.at)
    return table, Relation(
        quote(node.name),
        scope_columns(table),
        (node.name,),
        Scan(node.name, node.alias),
        findings.hidden_of_sources,
        scan=node.name,
    )
