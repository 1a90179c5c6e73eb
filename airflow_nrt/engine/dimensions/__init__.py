"""Dimension tables, which rows of sources are joined with by lookup joins."""

from __future__ import annotations

from airflow_nrt.basics.registry import Registry
from airflow_nrt.engine.dimensions.dimension import Dimension
from airflow_nrt.engine.dimensions.filesystem import FileDimension
from airflow_nrt.engine.dimensions.jdbc import JdbcDimension
from airflow_nrt.engine.dimensions.lakehouse import LakehouseDimension
from airflow_nrt.engine.sources.lakehouse.delta import DeltaHistory
from airflow_nrt.engine.sources.lakehouse.iceberg import IcebergHistory
from airflow_nrt.model.tables import Table

_BUILT_IN: dict[str, Dimension] = {
    "filesystem": FileDimension(),
    "jdbc": JdbcDimension(),
    "delta": LakehouseDimension(DeltaHistory),
    "iceberg": LakehouseDimension(IcebergHistory),
}
DIMENSIONS = Registry("airflow_nrt.dimensions", Dimension, _BUILT_IN)  # type: ignore[type-abstract]


def dimension_of(table: Table) -> Dimension:
    return DIMENSIONS.of(table.connector)
