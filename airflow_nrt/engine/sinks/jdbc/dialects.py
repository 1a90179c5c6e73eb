"""The dialect of each kind of database."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.engine.sinks.jdbc.dialect import Dialect
from airflow_nrt.engine.sinks.jdbc.mysql import MySql
from airflow_nrt.engine.sinks.jdbc.postgresql import PostgreSql
from airflow_nrt.model.connectors.jdbc import database_kind
from airflow_nrt.model.tables import Table

_DIALECTS: Mapping[str, Dialect] = {"postgresql": PostgreSql(), "mysql": MySql(), "mariadb": MySql()}


def dialect_of(table: Table) -> Dialect:
    return _DIALECTS[database_kind(table)]
