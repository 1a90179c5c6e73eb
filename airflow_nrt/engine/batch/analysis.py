"""Spark's analysis of a plan, without data: errors that Spark would raise later are raised before the run."""

from __future__ import annotations

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.engine.batch.batch import computed, same_rows
from airflow_nrt.engine.dimensions import dimension_of
from airflow_nrt.engine.dimensions.newest import check_dimension
from airflow_nrt.engine.dimensions.views import provide_nothing
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sources import source_of
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.engine.windows.firing_clock import fires_at
from airflow_nrt.engine.windows.no_rows import no_rows
from airflow_nrt.model.plan import Plan


def analyse(spark: SparkSession, plan: Plan) -> None:
    """Raises InputError in the words of Spark if a part of the plan can't be analysed, or a server is not there.

    All servers are asked that a driver asks when it starts; nothing is made.
    """
    spark = report_session(spark, plan)
    for source in plan.sources:
        source_of(source.table).check(spark, source.table)
    for lookup in plan.lookups:
        if dimension_of(lookup.table).has_server:
            check_dimension(spark, lookup)
        provide_nothing(spark, lookup)
    for insert in plan.written:
        sink_of(insert).look(spark, insert)
    for operator in plan.clocked:
        fires_at(spark, operator, None)
    for insert in plan.inserts:
        try:
            sources = {source.name: no_rows(spark, source) for source in plan.sources}
            rows = computed(plan, insert, same_rows(sources), -END_OF_TIME, END_OF_TIME, ONE)
            rows.schema  # noqa: B018 - analysis happens here
        except (AnalysisException, ParseException) as wrong:
            raise InputError(f"insert into {insert.name}: Spark rejects it: {str(wrong).split(chr(10))[0]}") from None
