"""What Airflow is told about the provider is true, and of the form that Airflow wants."""

from __future__ import annotations

import importlib
import json
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import airflow
import jsonschema
import pytest
from airflow.sdk import task

import tests.airflow_home  # noqa: F401
from airflow_nrt.decorators.nrt_report import nrt_report_task
from airflow_nrt.get_provider_info import get_provider_info

INFO = get_provider_info()


def test_it_is_what_the_entry_point_gives() -> None:
    (point,) = [
        one for one in entry_points(group="apache_airflow_provider") if one.dist and one.dist.name == "airflow-nrt"
    ]
    assert point.load()() == INFO


OF_RELEASES = {"state", "source-date-epoch", "versions"}
"""What Airflow's own release process keeps in a `provider.yaml`."""


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(airflow.__file__).parent / name).read_text())
    return found


def test_it_has_the_form_that_airflow_reads() -> None:
    jsonschema.validate(INFO, schema("provider_info.schema.json"))


def test_it_is_complete_by_the_schema_of_airflow_s_own_providers() -> None:
    strict = schema("provider.yaml.schema.json")
    jsonschema.validate(INFO, {**strict, "required": sorted({*strict["required"]} - OF_RELEASES)})


@pytest.mark.parametrize("kind", ["hooks", "operators", "sensors", "triggers"])
def test_all_modules_are_there_and_none_is_missing(kind: str) -> None:
    named = {module for one in INFO[kind] for module in one["python-modules"]}
    for module in named:
        importlib.import_module(module)
    folder = Path(importlib.import_module(f"airflow_nrt.{kind}").__file__ or "").parent
    classes = {
        "hooks": "(BaseHook)",
        "operators": "Operator):",
        "sensors": "SensorOperator)",
        "triggers": "Trigger):",
    }
    holding = {
        f"airflow_nrt.{kind}.{file.stem}"
        for file in folder.glob("*.py")
        if classes[kind] in file.read_text() and file.stem not in ("common", "batch", "command_task")
    }
    assert named == holding


def test_the_decorator_is_there() -> None:
    assert task.nrt_report is nrt_report_task


def test_the_connection_s_fields_are_the_hook_s() -> None:
    (connection,) = INFO["connection-types"]
    module, _, name = connection["hook-class-name"].rpartition(".")
    hook = getattr(importlib.import_module(module), name)
    assert hook.conn_type == connection["connection-type"]
    settings = importlib.import_module(module).NrtSettings
    assert set(connection["conn-fields"]) == set(settings.__dataclass_fields__)
