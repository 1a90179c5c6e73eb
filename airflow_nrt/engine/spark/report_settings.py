"""The settings of a report's session: the report's own, the rules that it turns off, and the jars of its connectors."""

from __future__ import annotations

import os

from airflow_nrt.basics.jars import with_jars
from airflow_nrt.basics.java_sources import SPEED_RULES
from airflow_nrt.model.options.known import REPORT_OPTIONS, read_option
from airflow_nrt.model.plan import Plan


def session_settings(plan: Plan) -> dict[str, str]:
    """Settings of Spark for a report. Raises InputError if the jars of a connector are not here."""
    given = dict(plan.settings)
    off = {rule.setting: "false" for rule in SPEED_RULES if not read_option(given, REPORT_OPTIONS, rule.switch)}
    settings = {**plan.spark_settings, **off}
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        # Spark-submit has started Java, with the jars that it was given.
        return settings
    return with_jars(settings, plan.jars)
