"""Equality of ROW values, field by field. A NULL field makes it unknown, as in Flink. In Spark NULLs are equal."""

from __future__ import annotations

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import BOOLEAN
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.typed import Typed, common_type


def holds_rows(values: list[Typed]) -> bool:
    return any(value.type.name == "ROW" for value in values)


def compared_rows(left: Typed, right: Typed, operator: str, at: Place) -> Typed:
    """`=` or `<>` of two rows. Raises SqlError for another operator, and if their fields can't be compared.

    r = ROW(1, 'x') is "transform(array(struct(`r` AS l, named_struct('EXPR$0', 1, 'EXPR$1', 'x') AS r)), _nrt_r0 ->
    IF(_nrt_r0.l IS NULL OR _nrt_r0.r IS NULL, NULL, (_nrt_r0.l.`a` = _nrt_r0.r.`EXPR$0`) AND (_nrt_r0.l.`c` =
    _nrt_r0.r.`EXPR$1`)))[0]".
    """
    if operator.endswith("DISTINCT FROM"):
        raise NotThereYet(f"{operator} of ROW", at, "compare the fields")
    if operator not in ("=", "<>"):
        raise SqlError(f"{operator!r} can't compare ROW: compare the fields", at)
    equation = _equation(left, right, at, 0)
    sql = equation if operator == "=" else f"(NOT {equation})"
    return Typed(sql, BOOLEAN, columns=left.columns | right.columns)


def in_rows(operand: Typed, values: list[Typed], negated: bool, at: Place) -> Typed:
    """`row IN (row, row)`."""
    either = " OR ".join(_equation(operand, value, at, 0) for value in values)
    columns = operand.columns.union(*(value.columns for value in values))
    return Typed(f"(NOT ({either}))" if negated else f"({either})", BOOLEAN, columns=columns)


def _equation(left: Typed, right: Typed, at: Place, depth: int) -> str:
    """SQL of the equation of two values.

    >>> from airflow_nrt.basics.types import DataType
    >>> row = DataType("ROW", children=(("a", DataType("INT")),))
    >>> print(_equation(Typed("`l`", row), Typed("`r`", row), Place(1, 1, 0), 0))
    transform(array(struct(`l` AS l, `r` AS r)), _nrt_r0 -> IF(_nrt_r0.l IS NULL OR _nrt_r0.r IS NULL, NULL,
    (_nrt_r0.l.`a` = _nrt_r0.r.`a`)))[0]
    """
    if left.type.name != "ROW" or right.type.name != "ROW" or len(left.type.children) != len(right.type.children):
        if left.type.name == right.type.name == "ROW" or common_type([left.type, right.type]) is None:
            raise SqlError(f"'=' can't compare {left.type.flink} and {right.type.flink}", at)
        return f"({left.sql} = {right.sql})"
    name = f"_nrt_r{depth}"
    fields = " AND ".join(
        _equation(Typed(f"{name}.l.{quote(a)}", one), Typed(f"{name}.r.{quote(b)}", other), at, depth + 1)
        for (a, one), (b, other) in zip(left.type.children, right.type.children)
    )
    body = f"IF({name}.l IS NULL OR {name}.r IS NULL, NULL, {fields})"
    return f"transform(array(struct({left.sql} AS l, {right.sql} AS r)), {name} -> {body})[0]"
