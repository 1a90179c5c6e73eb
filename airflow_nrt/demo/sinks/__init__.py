"""Sinks of the demonstration's curve, by the names that people choose."""

from __future__ import annotations

from airflow_nrt.demo.sinks.files import FilesSink
from airflow_nrt.demo.sinks.postgres import PostgresSink
from airflow_nrt.demo.sinks.sink import CurveSink

SINKS: dict[str, type[CurveSink]] = {one.name: one for one in (FilesSink, PostgresSink)}
