"""Empty frames with the columns of a source or an operator.

A query over several inputs reads them in place of the inputs without new rows. An aggregate over all rows starts with
them.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import bigint, quote
from airflow_nrt.engine.sources.malformed import FAULT, WHY
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.spark.given_rows import empty_rows
from airflow_nrt.engine.spark.tuning import ONE
from airflow_nrt.engine.time.accept_or_reject import accepted, judge
from airflow_nrt.engine.time.batch_clock import absorbed
from airflow_nrt.engine.windows.regroup import regroup
from airflow_nrt.engine.windows.window_operator import no_windows
from airflow_nrt.model.internal_columns import AFTER, KEY, OP, SEEN
from airflow_nrt.model.plan import Plan, Source
from airflow_nrt.model.tables import LINE, Column
from airflow_nrt.model.updating import Updating

_HIDDEN = (
    (FAULT, "STRING"), (WHY, "STRING"), (LINE, "STRING"),
    (FILE, "STRING"), (NUMBER, "BIGINT"), (BLOCK, "BIGINT"), (INDEX, "BIGINT"),
)  # fmt: skip


def no_rows(spark: SparkSession, source: Source) -> DataFrame:
    """No accepted rows of a source. Its METADATA columns are columns as others are: there is nothing to compute."""
    source = _with_plain_metadata(source)
    columns = [column for column in source.table.physical if column.name in source.physical]
    schema = [(quote(column.name), column.type.spark) for column in columns]
    schema += [(OP, "STRING")] if source.table.is_changelog else []
    judged = judge(empty_rows(spark, [*schema, *_HIDDEN]), source, None, absorbed(None, None))
    return accepted(judged, source, f"{bigint(None)} AS {SEEN}")


def _with_plain_metadata(source: Source) -> Source:
    columns = (one if one.metadata is None else Column(one.name, one.type) for one in source.table.columns)
    return replace(source, table=replace(source.table, columns=tuple(columns)))


def _no_changes(spark: SparkSession, operator: Updating) -> DataFrame:
    """No changes of an updating operator."""
    columns = [(field.name, field.type.spark) for field in operator.fields]
    return empty_rows(spark, [*columns, (AFTER, "BOOLEAN"), (KEY, "STRING")])


def nothing_of(spark: SparkSession, plan: Plan, name: str) -> DataFrame:
    """No rows of a source or an operator of the plan."""
    source = next((one for one in plan.sources if one.name == name), None)
    if source is not None:
        return no_rows(spark, source)
    updating = next((one for one in plan.updating if one.name == name), None)
    if updating is not None:
        return _no_changes(spark, updating)
    step = plan.regroup(name)
    if step is not None:
        return regroup(step, {one: nothing_of(spark, plan, one) for one in step.input.inputs}, ONE)
    return no_windows(spark, plan.operator(name))
