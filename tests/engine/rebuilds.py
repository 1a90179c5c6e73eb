"""A report that changes in its home, in this process: its driver ends when it has read all that has arrived."""

from __future__ import annotations

import threading
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.rebuild import change_of, run_both
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_of_home


class Died(BaseException):
    """A driver dies here."""


def run(spark: SparkSession, plan: Plan, home: Path) -> str:
    return Runner(spark, plan, Home.create(home, plan, plan_of_home), available_now=True, replan=plan_of_home).run()


def rebuild(spark: SparkSession, plan: Plan, home: Path) -> str:
    change = change_of(Home.open(home), plan, plan_of_home)
    return run_both(spark, change, plan_of_home, available_now=True, launch="", stop_asked=threading.Event())
