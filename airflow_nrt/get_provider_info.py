"""What Airflow learns about this provider without importing it."""

from __future__ import annotations

from typing import Any

_INTEGRATION = "Near-real-time reports"
_DOCUMENTATION = "https://airflow-nrt.readthedocs.io/"


def _text(label: str, description: str, **schema: Any) -> dict[str, Any]:
    return {"label": label, "description": description, "schema": {"type": ["string", "null"], **schema}}


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
        "operators": _modules(
            *("operators.stream", "operators.backfill", "operators.verify", "operators.maintain", "operators.stop"),
            "operators.window_events",
        ),
        "sensors": _modules("sensors.window"),
        "triggers": _modules("triggers.driver", "triggers.window", "triggers.window_events"),
        "notifications": ["airflow_nrt.notifications.nrt.NrtNotifier"],
        "task-decorators": [
            {"name": "nrt_report", "class-name": "airflow_nrt.decorators.nrt_report.nrt_report_task"},
        ],
        "config": {
            "nrt": {
                "description": "Near-real-time reports.",
                "options": {
                    "homes": {
                        "description": "Directories in which the page looks for homes of reports, in addition to "
                        "`home` of the connections of type nrt. Separated by colons.",
                        "version_added": "0.1.0",
                        "type": "string",
                        "example": "/data/homes:/data/other-homes",
                        "default": "",
                    },
                },
            }
        },
        "connection-types": [
            {
                "connection-type": "nrt",
                "hook-name": "Near-real-time reports",
                "hook-class-name": "airflow_nrt.hooks.nrt.NrtHook",
                "ui-field-behaviour": {
                    "hidden-fields": ["host", "port", "schema", "login", "password"],
                    "relabeling": {},
                },
                "conn-fields": {
                    "home": _text(
                        "Homes",
                        "Directory of the homes, for example /data/nrt. A task that names no home uses the name of "
                        "its report there. Default: each task names its home",
                    ),
                    "spark_conn_id": _text(
                        "Spark connection", "Connection whose master and settings drivers run with. Default: none"
                    ),
                    "master": _text(
                        "Spark master",
                        "local[*], spark://HOST:7077, yarn or k8s://https://HOST. Default: the Spark connection's, "
                        "local[*] without one",
                        examples=["local[*]", "spark://HOST:7077", "yarn", "k8s://https://HOST"],
                    ),
                    "deploy_mode": _text(
                        "Deploy mode",
                        "client or cluster. Default: the Spark connection's, client without one",
                        examples=["client", "cluster"],
                    ),
                    "packages": _text(
                        "Packages", "Maven coordinates, separated by commas, for driver and executors. Default: none"
                    ),
                    "environment": _text(
                        "Environment",
                        "Further variables of the worker that drivers need, for example AWS_*, MY_VARIABLE. "
                        "Default: none",
                    ),
                    "masked_settings": _text(
                        "Masked settings",
                        "Names of settings whose values no log shows, separated by commas. Default: those with "
                        "password, secret, token, key or credential in their names",
                    ),
                    "conf": _text(
                        "Spark settings",
                        'JSON, for example {"spark.executor.memory": "4g"}. Default: Spark\'s own',
                        format="multiline",
                    ),
                    "group": _text(
                        "Group", "Name or id of the group whose members share the homes. Default: nobody shares them"
                    ),
                },
            }
        ],
    }
