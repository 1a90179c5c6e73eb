"""The answer with the lineage of a report (`operators/lineage.py`), in the process that may import it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from airflow_nrt.describe.lineage import lineage_of
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.table.reports.load import load_report


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """The lineage of the plan of `report` with `settings`, and paths that start at `base`. Raises as `load_report`."""
    base = question["base"]
    settings = Settings.from_json(question["settings"])
    return asdict(lineage_of(load_report(question["report"], settings, base=None if base is None else Path(base))))
