"""No row of a source, with all columns that its rows have: what a query over several sources reads of the others."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.given_rows import empty_rows
from airflow_nrt.engine.sources.faults import FAULT, WHY
from airflow_nrt.engine.sources.filesystem import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.time.accept import accepted, judge
from airflow_nrt.engine.time.batch_clock import absorbed
from airflow_nrt.report.hidden import OP, SEEN
from airflow_nrt.report.plan import Source
from airflow_nrt.report.spelling import bigint, quote
from airflow_nrt.report.tables import LINE

_HIDDEN = (
    (FAULT, "STRING"), (WHY, "STRING"), (LINE, "STRING"),
    (FILE, "STRING"), (NUMBER, "BIGINT"), (BLOCK, "BIGINT"), (INDEX, "BIGINT"),
)  # fmt: skip


def no_rows(spark: SparkSession, source: Source) -> DataFrame:
    """The source's accepted rows, none of them."""
    columns = [column for column in source.table.physical if column.name in source.physical]
    schema = [(quote(column.name), column.type.spark) for column in columns]
    schema += [(OP, "STRING")] if source.table.is_changelog else []
    judged = judge(empty_rows(spark, [*schema, *_HIDDEN]), source, None, absorbed(None, None))
    return accepted(judged, source, f"{bigint(None)} AS {SEEN}")
