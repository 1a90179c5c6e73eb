"""The session of a report: what its SQL finds by name is its own."""

from __future__ import annotations

from pyspark.sql import SparkSession

from airflow_nrt.engine.functions import register_functions
from airflow_nrt.engine.spark.own_session import own_session
from airflow_nrt.model.plan import Plan


def report_session(application: SparkSession, plan: Plan) -> SparkSession:
    """A session beside that of the application, with the functions of the report.

    Views, functions and settings of two reports, or of two runs of one, never meet. They are gone with the session.
    """
    session = own_session(application)
    register_functions(session, plan)
    return session
