"""A checked expression: its Spark SQL, its Flink type, its columns. And the types of arithmetic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from enum import Enum
from functools import cached_property

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import MAX_PRECISION, DataType, decimal
from airflow_nrt.model.arithmetic_errors import uncounted


class TimeAttribute(Enum):
    """The time that a time attribute has: that of the row, or that of the batch which absorbs it."""

    ROWTIME = "rowtime"
    PROCTIME = "proctime"


@dataclass(frozen=True, eq=False)
class Typed:
    """`constant` is the value of a literal. `columns` are the columns of the scope that it reads, by name.

    `column` is the column, if the expression is nothing but a column. `time_attribute` is set if it is nothing but a
    time attribute: a column, a field of a ROW column, or PROCTIME(). `in_months` is true of an interval of months or
    years, which have no fixed length.

    Two expressions over the same rows are equal if Spark computes the same, whatever else is known of them, and
    whatever is counted for them.
    """

    sql: str
    type: DataType
    constant: str | None = None
    columns: frozenset[str] = frozenset()
    column: str | None = None
    time_attribute: TimeAttribute | None = None
    in_months: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Typed) and self._values == other._values

    def __hash__(self) -> int:
        return hash(self._values)

    @cached_property
    def _values(self) -> str:
        return uncounted(self.sql)

    @property
    def word(self) -> str:
        """The keyword that it is: HOUR in `EXTRACT(HOUR FROM ts)`. For anything else its SQL, which is no keyword."""
        return self.constant or "" if self.type.name == "KEYWORD" else self.sql

    @classmethod
    def of_column(cls, name: str, kind: DataType, time_attribute: TimeAttribute | None = None) -> Typed:
        """A column as an expression: `price` is "`price`"."""
        return cls(quote(name), kind, None, frozenset({name}), name, time_attribute)

    def computed(self, sql: str, kind: DataType | None = None) -> Typed:
        """Another expression that is computed from this one, of the same type if no `kind` is given."""
        return Typed(sql, kind or self.type, self.constant, self.columns)


def as_decimal(kind: DataType) -> DataType:
    """The DECIMAL that holds every value of an exact number type."""
    if kind.name == "DECIMAL":
        return kind
    return decimal(kind.digits, 0)


def may_not_fit(source: DataType, target: DataType) -> bool:
    """Whether a number of one type, or one in it, may be too large for a DECIMAL of the other: it is NULL there."""
    if target.name == "DECIMAL" and source.is_numeric:
        if source.is_approximate:
            return True
        given = as_decimal(source)
        whole = (given.precision or 0) - (given.scale or 0), (target.precision or 0) - (target.scale or 0)
        # 9.95 is 10.0, with a digit more before the point.
        return whole[0] > whole[1] or (whole[0] == whole[1] and (given.scale or 0) > (target.scale or 0))
    pairs = zip(source.children, target.children)
    return any(may_not_fit(old, new) for (_, old), (_, new) in pairs)


def surely_fits(value: Typed, target: DataType) -> bool:
    """Whether it is a number that the report writes, and that the DECIMAL holds."""
    if value.constant is None or not value.type.is_numeric:
        return False
    context = Context(prec=2 * MAX_PRECISION, rounding=ROUND_HALF_UP)
    try:
        rounded = Decimal(value.constant).quantize(Decimal(1).scaleb(-(target.scale or 0)), context=context)
    except InvalidOperation:
        return False
    return len(rounded.as_tuple().digits) <= (target.precision or 0)


def common_type(kinds: list[DataType]) -> DataType | None:
    """The least type that holds all of these without a cast in the text, None if there is none."""
    known = [kind for kind in kinds if kind.name != "NULL"]
    nullable = any(kind.nullable for kind in kinds) or len(known) < len(kinds)
    if not known:
        return DataType("NULL")
    first = known[0]
    for kind in known[1:]:
        merged = _common(first, kind)
        if merged is None:
            return None
        first = merged
    return first.with_nullable(nullable)


def _common(a: DataType, b: DataType) -> DataType | None:
    if a.is_numeric and b.is_numeric:
        return _common_number(a, b)
    if a.is_string and b.is_string:
        return a if a == b else DataType("STRING")
    if a.is_bytes and b.is_bytes:
        return a.with_nullable(True) if a.with_nullable(True) == b.with_nullable(True) else DataType("BYTES")
    if a.name == b.name and a.has_fraction_of_second:
        return a if (a.precision or 0) >= (b.precision or 0) else b
    return _same(a, b)


def _same(a: DataType, b: DataType) -> DataType | None:
    """The type of both, if they differ at most in which of their parts may be NULL."""
    if replace(a, nullable=True, children=()) != replace(b, nullable=True, children=()):
        return None
    if [name for name, _ in a.children] != [name for name, _ in b.children]:
        return None
    children = [(name, _same(one, other)) for (name, one), (_, other) in zip(a.children, b.children)]
    known = tuple((name, kind) for name, kind in children if kind is not None)
    return replace(a, nullable=a.nullable or b.nullable, children=known) if len(known) == len(children) else None


def _common_number(a: DataType, b: DataType) -> DataType:
    if a.is_approximate or b.is_approximate:
        floats = {a.name, b.name} <= {"FLOAT", "TINYINT", "SMALLINT", "INT", "BIGINT"}
        return DataType("FLOAT") if floats else DataType("DOUBLE")
    if a.is_integer and b.is_integer:
        return a if a.digits >= b.digits else b
    x, y = as_decimal(a), as_decimal(b)
    scale = max(x.scale or 0, y.scale or 0)
    whole = max((x.precision or 0) - (x.scale or 0), (y.precision or 0) - (y.scale or 0))
    return decimal(min(whole + scale, 38), scale)


def sum_type(a: DataType, b: DataType) -> DataType:
    """The type of `a + b` and `a - b` (numbers)."""
    if not (a.name == "DECIMAL" or b.name == "DECIMAL") or a.is_approximate or b.is_approximate:
        return _common_number(a, b)
    x, y = as_decimal(a), as_decimal(b)
    scale = max(x.scale or 0, y.scale or 0)
    whole = max((x.precision or 0) - (x.scale or 0), (y.precision or 0) - (y.scale or 0))
    return _adjusted(whole + scale + 1, scale)


def product_type(a: DataType, b: DataType) -> DataType:
    """The type of `a * b` (numbers)."""
    if not (a.name == "DECIMAL" or b.name == "DECIMAL") or a.is_approximate or b.is_approximate:
        return _common_number(a, b)
    x, y = as_decimal(a), as_decimal(b)
    return _adjusted((x.precision or 0) + (y.precision or 0) + 1, (x.scale or 0) + (y.scale or 0))


def quotient_type(a: DataType, b: DataType) -> DataType:
    """The type of `a / b` (numbers). INT / INT is INT, truncated."""
    if not (a.name == "DECIMAL" or b.name == "DECIMAL") or a.is_approximate or b.is_approximate:
        return _common_number(a, b)
    x, y = as_decimal(a), as_decimal(b)
    scale = max(6, (x.scale or 0) + (y.precision or 0) + 1)
    return _adjusted((x.precision or 0) - (x.scale or 0) + (y.scale or 0) + scale, scale)


def remainder_type(a: DataType, b: DataType) -> DataType:
    """The type of `a % b` (exact numbers). For whole numbers it is that of `b`."""
    if a.is_integer and b.is_integer:
        return b
    x, y = as_decimal(a), as_decimal(b)
    scale = max(x.scale or 0, y.scale or 0)
    whole = min((x.precision or 0) - (x.scale or 0), (y.precision or 0) - (y.scale or 0))
    return decimal(min(whole + scale, 38), scale)


def _adjusted(precision: int, scale: int) -> DataType:
    """Flink's and Spark's rule where more than 38 digits are needed: keep the whole part, at least 6 places."""
    if precision <= 38:
        return decimal(precision, scale)
    return decimal(38, max(38 - (precision - scale), min(scale, 6)))
