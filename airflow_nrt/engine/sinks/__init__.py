"""Connectors that results are written to."""

from __future__ import annotations

from airflow_nrt.basics.registry import Registry
from airflow_nrt.engine.sinks.blackhole import Blackhole
from airflow_nrt.engine.sinks.filesystem import Filesystem
from airflow_nrt.engine.sinks.jdbc.jdbc import Jdbc
from airflow_nrt.engine.sinks.kafka.kafka import Kafka
from airflow_nrt.engine.sinks.lakehouse.delta import DeltaTable
from airflow_nrt.engine.sinks.lakehouse.iceberg import IcebergTable
from airflow_nrt.engine.sinks.lakehouse.lakehouse import Lakehouse
from airflow_nrt.engine.sinks.sink import Sink
from airflow_nrt.engine.sinks.standard_output import Print
from airflow_nrt.model.plan import Insert

_BUILT_IN: dict[str, Sink] = {
    "filesystem": Filesystem(),
    "jdbc": Jdbc(),
    "delta": Lakehouse(DeltaTable),
    "iceberg": Lakehouse(IcebergTable),
    "kafka": Kafka(),
    "upsert-kafka": Kafka(),
    "print": Print(),
    "blackhole": Blackhole(),
}
SINKS = Registry("airflow_nrt.sinks", Sink, _BUILT_IN)  # type: ignore[type-abstract]


def sink_of(insert: Insert) -> Sink:
    return SINKS.of(insert.sink.connector)
