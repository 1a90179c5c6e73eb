"""Format `debezium-json`: `{"before": {…}, "after": {…}, "op": "u"}`, or that inside of 'payload'."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.model.options.change_formats.both_images import BothImages
from airflow_nrt.model.options.option import Option, parse_boolean

_SCHEMA = Option(
    "debezium-json.schema-include", parse_boolean, False, "a change lies in 'payload', beside its 'schema'"
)


class Debezium(BothImages):
    name = "debezium-json"
    op = "op"
    inserts = ("c", "r")
    updates = "u"
    deletes = "d"
    options = (_SCHEMA,)

    def record(self, read: str, options: Mapping[str, str]) -> str:
        return f"{read}.payload" if _SCHEMA.of(options) else read

    def line(self, options: Mapping[str, str]) -> str:
        record = super().line(options)
        return f"payload STRUCT<{record}>" if _SCHEMA.of(options) else record
