"""What Airflow learns about this provider without importing it."""

from __future__ import annotations

from typing import Any

_INTEGRATION = "Near-real-time reports"
_DOCUMENTATION = "https://pypi.org/project/airflow-nrt/"


def _text(label: str, description: str, default: str | None = None) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": ["string", "null"]}
    if default is not None:
        schema["default"] = default
    return {"label": label, "description": description, "schema": schema}


def _modules(*names: str) -> list[dict[str, Any]]:
    return [{"integration-name": _INTEGRATION, "python-modules": [f"airflow_nrt.{name}" for name in names]}]


def get_provider_info() -> dict[str, Any]:
    """The provider as `airflow/provider_info.schema.json` wants it."""
    return {
        "package-name": "airflow-nrt",
        "name": "Near-real-time reports",
        "description": "Reports in Flink SQL, streamed by Spark, supervised, backfilled and verified by Airflow",
        "integrations": [
            {"integration-name": _INTEGRATION, "external-doc-url": _DOCUMENTATION, "tags": ["software"]},
        ],
        "hooks": _modules("hooks.nrt"),
        "operators": _modules("operators.stream", "operators.backfill", "operators.verify", "operators.stop"),
        "sensors": _modules("sensors.window"),
        "triggers": _modules("triggers.driver", "triggers.window"),
        "task-decorators": [
            {"name": "nrt_report", "class-name": "airflow_nrt.decorators.nrt_report.nrt_report_task"},
        ],
        "connection-types": [
            {
                "connection-type": "nrt",
                "hook-name": "Near-real-time reports",
                "hook-class-name": "airflow_nrt.hooks.nrt.NrtHook",
                "ui-field-behaviour": {
                    "hidden-fields": ["host", "port", "schema", "login", "password"],
                    "relabeling": {},
                    "placeholders": {"home": "/data/nrt", "master": "local[*]"},
                },
                "conn-fields": {
                    "home": _text(
                        "Homes", "Directory of the homes: a task that names none has NAME-OF-REPORT below it"
                    ),
                    "spark_conn_id": _text("Spark connection", "Connection whose master and settings drivers run with"),
                    "master": _text("Spark master", "Wins over the Spark connection's; local[*] where neither says"),
                    "deploy_mode": _text("Deploy mode", "client or cluster; wins over the Spark connection's"),
                    "packages": _text("Packages", "Maven coordinates, separated by commas, for driver and executors"),
                    "environment": _text(
                        "Environment", "Variables of the worker that drivers need beside the usual: AWS_*, MY_VARIABLE"
                    ),
                    "masked_settings": _text(
                        "Masked settings", "Names of settings whose values no log shows, beside password, token, key …"
                    ),
                    "conf": _text("Spark settings", 'JSON, for example {"spark.executor.memory": "4g"}'),
                    "group": _text("Group", "Whose members share the homes, by name or id; without one nobody does"),
                },
            }
        ],
    }
