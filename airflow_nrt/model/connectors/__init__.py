"""The connectors of tables. Each is one file here, or of an installed package, and a source or a sink of the engine."""

from __future__ import annotations

from airflow_nrt.basics.registry import Registry
from airflow_nrt.model.connectors.blackhole import Blackhole
from airflow_nrt.model.connectors.connector import Connector
from airflow_nrt.model.connectors.constants import Constants
from airflow_nrt.model.connectors.datagen import Datagen
from airflow_nrt.model.connectors.delta import Delta
from airflow_nrt.model.connectors.filesystem import Filesystem
from airflow_nrt.model.connectors.iceberg import Iceberg
from airflow_nrt.model.connectors.jdbc import Jdbc
from airflow_nrt.model.connectors.kafka import Kafka, UpsertKafka
from airflow_nrt.model.connectors.standard_output import Print
from airflow_nrt.model.tables import Table

_ALL = (Filesystem(), Print(), Kafka(), UpsertKafka(), Jdbc(), Delta(), Iceberg(), Datagen(), Blackhole())
CONNECTORS = Registry("airflow_nrt.connectors", Connector, {one.name: one for one in _ALL})  # type: ignore[type-abstract]
_CONSTANTS = Constants()


def connector_of(table: Table) -> Connector:
    return _CONSTANTS if table.connector == _CONSTANTS.name else CONNECTORS[table.connector]
