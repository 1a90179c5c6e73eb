"""Records that replace the row of their key, or retract it: a record without a value does that."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.sources.avro_confluent.kept_schemas import KeptSchemas
from airflow_nrt.engine.sources.kafka.contents import parsed
from airflow_nrt.engine.sources.malformed import FAULT, WHOLE_LINE, WHY
from airflow_nrt.model.internal_columns import OP
from airflow_nrt.model.tables import LINE, Column, Table

_IS_GONE = "_nrt_is_gone"


def parsed_upserts(
    rows: DataFrame, content: str, part: Table, wanted: Sequence[Column], kept: KeptSchemas
) -> DataFrame:
    """As `parsed`, with `_nrt_op`: +I, or -D of a record without a value, which has NULL in all of these columns."""
    # A blank in place of no value, as an empty text would be no row.
    given = rows.withColumn(_IS_GONE, F.expr(f"{content} IS NULL"))
    blank = given.withColumn(content, F.expr(f"IF({_IS_GONE}, X'20', {content})"))
    found = parsed(blank, content, part, wanted, kept)
    cleared = {*(one.name for one in wanted), LINE, FAULT, WHY}
    columns = (
        f"IF({_IS_GONE}, NULL, {quote(name)}) AS {quote(name)}" if name in cleared else quote(name)
        for name in found.columns
        if name != _IS_GONE
    )
    return found.selectExpr(*columns, f"IF({_IS_GONE}, '-D', '+I') AS {OP}")


def key_fault(is_keyless: str) -> tuple[str, str]:
    r"""SQL of `_nrt_fault` and `_nrt_why` of a key: a record without a good one does not say which row it changes.

    >>> print(*key_fault("k IS NULL"), sep="\n")
    IF(k IS NULL OR _nrt_fault IS NOT NULL, '', NULL)
    IF(k IS NULL, 'the record has no key, which says which row it changes', _nrt_why)
    """
    none = "the record has no key, which says which row it changes"
    fault = f"IF({is_keyless} OR {FAULT} IS NOT NULL, {string_literal(WHOLE_LINE)}, NULL)"
    return fault, f"IF({is_keyless}, {string_literal(none)}, {WHY})"
