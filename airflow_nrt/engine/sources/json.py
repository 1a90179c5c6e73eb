"""JSON lines as Flink reads them: one object a line, fields by name, a missing field is NULL."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.report.spelling import quote, string_literal
from airflow_nrt.report.tables import LINE, Column

OPTIONS = "map('mode', 'PERMISSIVE', 'columnNameOfCorruptRecord', '_nrt_broken')"


def parse_json(lines: DataFrame, wanted: Sequence[Column]) -> DataFrame:
    """Lines (`_nrt_line`) to typed columns and `_nrt_malformed`; all of their columns pass through.

    A line is malformed if it is no object, or if a wanted field is no value of its column's type.
    """
    others = [quote(name) for name in lines.columns]
    schema = ", ".join([f"{quote(column.name)} {column.type.spark}" for column in wanted] + ["`_nrt_broken` STRING"])
    parsed = lines.selectExpr(*others, f"from_json({LINE}, {string_literal(schema)}, {OPTIONS}) AS _nrt_object")
    values = [f"_nrt_object.{quote(column.name)} AS {quote(column.name)}" for column in wanted]
    return parsed.selectExpr(
        *others, *values, "(_nrt_object IS NULL OR _nrt_object._nrt_broken IS NOT NULL) AS _nrt_malformed"
    )
