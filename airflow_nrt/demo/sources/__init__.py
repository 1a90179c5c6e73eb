"""Sources of the demonstration's orders, by the names that people choose."""

from __future__ import annotations

from airflow_nrt.demo.sources.files import FilesSource
from airflow_nrt.demo.sources.kafka import KafkaSource
from airflow_nrt.demo.sources.source import OrdersSource

SOURCES: dict[str, type[OrdersSource]] = {one.name: one for one in (FilesSource, KafkaSource)}
