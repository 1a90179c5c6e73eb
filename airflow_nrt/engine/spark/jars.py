"""The settings of a report's session: the report's own, and the jars of its connectors."""

from __future__ import annotations

import os

from airflow_nrt.basics.jars import with_jars
from airflow_nrt.model.plan import Plan


def session_settings(plan: Plan) -> dict[str, str]:
    """Settings of Spark for a report. Raises InputError if the jars of a connector are not here."""
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        # Spark-submit has started Java, with the jars that it was given.
        return plan.spark_settings
    return with_jars(plan.spark_settings, plan.jars)
