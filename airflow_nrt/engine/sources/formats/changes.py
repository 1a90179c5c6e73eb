"""Formats of changes: a record a line, which adds rows, retracts some, or does both.

In a table with a key an update is the new row alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.sources.formats.json import OBJECT, NoRow, exact, parse_objects
from airflow_nrt.engine.sources.malformed import shortened
from airflow_nrt.model.internal_columns import OP
from airflow_nrt.model.options.change_formats import ChangeFormat
from airflow_nrt.model.tables import LINE, Column, Table

_NO_CHANGES = "CAST(array() AS ARRAY<STRUCT<op: STRING, row: STRING>>)"


def parse_changes(lines: DataFrame, table: Table, form: ChangeFormat, wanted: Sequence[Column]) -> DataFrame:
    """Lines (`_nrt_line`) to typed columns, `_nrt_op` (+I, -D), `_nrt_fault` and `_nrt_why`; their other columns are
    kept.

    A line is malformed if it is no object, has an unknown operation or lacks a row of its operation. A wanted field is
    malformed if it is no value of its column's type.
    """
    others = [quote(name) for name in lines.columns]
    schema = string_literal(form.line(table.options))
    rows = lines.selectExpr(*others, f"from_json({exact(LINE)}, {schema}) AS _nrt_read")
    rows = rows.selectExpr(*others, f"{form.record('_nrt_read', table.options)} AS _nrt_record")
    rows = rows.selectExpr(*others, f"{_changes('_nrt_record', table, form)} AS _nrt_changes")
    # A malformed line becomes one row without an operation.
    nothing = f"array(struct(CAST(NULL AS STRING) AS op, {LINE} AS row))"
    known = "_nrt_changes IS NOT NULL AND NOT exists(_nrt_changes, one -> one.row IS NULL)"
    rows = rows.selectExpr(*others, f"explode(IF({known}, _nrt_changes, {nothing})) AS _nrt_change")
    rows = rows.selectExpr(*others, f"_nrt_change.op AS {OP}", f"_nrt_change.row AS {OBJECT}")
    return parse_objects(rows, wanted, NoRow(f"{OP} IS NULL", _why(form)))


def _why(form: ChangeFormat) -> str:
    r"""SQL of a message about an object that is no change.

    >>> from airflow_nrt.model.options.change_formats import DEBEZIUM
    >>> print(_why(DEBEZIUM))
    IF(_nrt_op IS NULL AND json_object_keys(_nrt_json) IS NOT NULL, concat('\'', IF(length(_nrt_json) > 200,
    concat(left(replace(replace(_nrt_json, '\r', '\\r'), '\n', '\\n'), 200), '…'), replace(replace(_nrt_json, '\r',
    '\\r'), '\n', '\\n')), '\' is no debezium-json: \'op\' is none of \'c\', \'r\', \'u\', \'d\', or its row is
    missing'), NULL)
    """
    operations = ", ".join(map(repr, form.operations))
    says = string_literal(f"' is no {form.name}: '{form.op}' is none of {operations}, or its row is missing")
    object_ = f"{OP} IS NULL AND json_object_keys({OBJECT}) IS NOT NULL"
    return f"IF({object_}, concat({string_literal(chr(39))}, {shortened(OBJECT)}, {says}), NULL)"


def _changes(at: str, table: Table, form: ChangeFormat) -> str:
    """SQL of the changes of a record, in their order; NULL if its operation is unknown.

    >>> from airflow_nrt.model.options.change_formats import DEBEZIUM
    >>> print(_changes("r", Table("changes", (), "filesystem", primary_key=("id",)), DEBEZIUM))
    CASE WHEN false THEN CAST(array() AS ARRAY<STRUCT<op: STRING, row: STRING>>) WHEN (false) IS NULL THEN NULL WHEN
    r.`op` IN ('c', 'r') THEN transform(array(r.after), row -> struct('+I' AS op, row AS row)) WHEN r.`op` = 'u' THEN
    transform(array(r.after), row -> struct('+I' AS op, row AS row)) WHEN r.`op` = 'd' THEN transform(array(r.before),
    row -> struct('-D' AS op, row AS row)) END
    """
    unwanted, op = form.unwanted(at, table.options), f"{at}.{quote(form.op)}"
    inserts = ", ".join(map(string_literal, form.inserts))
    update = _each("+I", form.after(at)) if table.primary_key else _pairs(form.before(at), form.after(at))
    return (
        f"CASE WHEN {unwanted} THEN {_NO_CHANGES} WHEN ({unwanted}) IS NULL THEN NULL "
        f"WHEN {op} IN ({inserts}) THEN {_each('+I', form.inserted(at))} "
        f"WHEN {op} = {string_literal(form.updates)} THEN {update} "
        f"WHEN {op} = {string_literal(form.deletes)} THEN {_each('-D', form.deleted(at))} END"
    )


def _each(op: str, rows: str) -> str:
    """SQL of a change for each row.

    >>> print(_each("-D", "rows"))
    transform(rows, row -> struct('-D' AS op, row AS row))
    """
    return f"transform({rows}, row -> struct('{op}' AS op, row AS row))"


def _pairs(before: str, after: str) -> str:
    """SQL of two changes for each row.

    >>> print(_pairs("olds", "rows"))
    flatten(zip_with(olds, rows, (old, row) -> array(struct('-D' AS op, old AS row), struct('+I' AS op, row AS row))))
    """
    pair = "array(struct('-D' AS op, old AS row), struct('+I' AS op, row AS row))"
    return f"flatten(zip_with({before}, {after}, (old, row) -> {pair}))"
