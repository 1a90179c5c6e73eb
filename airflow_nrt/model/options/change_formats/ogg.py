"""Format `ogg-json`, of Oracle GoldenGate: `{"before": {…}, "after": {…}, "op_type": "U"}`."""

from __future__ import annotations

from airflow_nrt.model.options.change_formats.both_images import BothImages


class Ogg(BothImages):
    name = "ogg-json"
    op = "op_type"
    inserts = ("I",)
    updates = "U"
    deletes = "D"
