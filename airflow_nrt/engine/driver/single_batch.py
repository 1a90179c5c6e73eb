"""A bounded source that arrives in one batch: its windows are computed from its rows directly, as in a backfill.

No state is stored, because nothing would read it later (`docs/decisions/16-whole-inputs.md`).
"""

from __future__ import annotations

from pyspark.sql import DataFrame

from airflow_nrt.basics.instants import END_OF_TIME
from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.engine.batch.batch import computed, same_rows
from airflow_nrt.engine.spark.tuning import Tasks
from airflow_nrt.engine.versions.early_and_late_results import with_state
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.result_timing import COMPLETE


def whole_result(plan: Plan, rows: DataFrame, tasks: Tasks) -> DataFrame:
    """The rows of the insert for all windows, from all accepted rows of the source."""
    insert, source = plan.inserts[0], plan.sources[0].name
    frame = computed(plan, insert, same_rows({source: rows}), -END_OF_TIME, END_OF_TIME, tasks)
    return with_state(insert, frame, string_literal(COMPLETE))
