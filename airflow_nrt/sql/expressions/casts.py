"""CAST and TRY_CAST with Flink's results: casts that Spark does in another way are written out, others are Spark's.

A number that does not fit a DECIMAL is NULL there, also where no cast is written. A text of one can't be cast.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.basics.fractions import cut, fraction_digits, truncated
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.times_of_day import as_text, to_digits
from airflow_nrt.basics.types import DataType
from airflow_nrt.model.row_semantics import DIGITS_OF_TYPES, since
from airflow_nrt.sql.errors import NotThereYet, Place
from airflow_nrt.sql.expressions.failing import fitted
from airflow_nrt.sql.expressions.local_time import as_instant, as_local
from airflow_nrt.sql.expressions.text_values import value_of
from airflow_nrt.sql.expressions.time_casts import cast_time
from airflow_nrt.sql.expressions.typed import Typed, may_not_fit, surely_fits

_NESTED = ("ARRAY", "MAP", "ROW")
_NOWHERE = Place(1, 1, 0)
_LONG = 300
"""A text whose SQL is longer is computed once, under a name."""


def cast(operand: Typed, target: DataType, fails: bool, at: Place) -> Typed:
    """CAST, or TRY_CAST if it must not fail: "CAST(`price` AS INT)".

    Raises NotThereYet for a pair of types that is not supported.
    """
    target = target.with_nullable(operand.type.nullable or not fails or may_not_fit(operand.type, target))
    if operand.type.name == "NULL":
        return Typed(f"CAST(NULL AS {target.spark})", target.with_nullable(True))
    if operand.type.name in _NESTED and not fails and not _never_fails(operand.type, target):
        return Typed(_tried_array(operand, target, at), target, columns=operand.columns)
    if _is_there(operand.type, target):
        return replace(operand, type=target, constant=None)
    return Typed(_Cast(fails, at).value(operand, target), target, columns=operand.columns)


def cast_to(typed: Typed, target: DataType) -> str:
    """SQL of the value as the target type, "CAST(`n` AS BIGINT)", without a cast if it has that type already.

    What may not fit a DECIMAL is NULL then: "TRY_CAST(`price` AS DECIMAL(5,2))", or counted, too (`counted_for`).
    """
    if typed.type.with_nullable(True) == target.with_nullable(True) or typed.type.spark == target.spark:
        both = typed.type.has_fraction_of_second and target.has_fraction_of_second
        shrinks = both and fraction_digits(typed.type) > fraction_digits(target)
        return _to_length(typed.sql, target) if shrinks else typed.sql
    if not may_not_fit(typed.type, target):
        return f"CAST({typed.sql} AS {target.spark})"
    return _Cast(True, _NOWHERE).value(typed, target)


@dataclass(frozen=True)
class _Cast:
    """The casts inside one CAST or TRY_CAST. `depth` is how deep a value is nested."""

    fails: bool
    at: Place
    depth: int = 0

    def value(self, operand: Typed, target: DataType) -> str:
        kind = operand.type
        if "TIME" in (kind.name, target.name) and not target.is_string:
            return cast_time(operand, target, self.fails, self.at)
        if target.is_string:
            return _to_length(self._text(operand, target), target)
        if kind.name in _NESTED and kind.name == target.name:
            return self._nested(operand, target)
        if target.name in ("TIMESTAMP", "DATE"):
            operand = as_local(operand)
        elif target.name == "TIMESTAMP_LTZ" and (kind.is_string or kind.name in ("TIMESTAMP", "DATE")):
            shown = DataType("TIMESTAMP", precision=target.precision)
            local = self._read_time(operand.sql, shown, target) if kind.is_string else self.value(operand, shown)
            return as_instant(Typed(local, shown)).sql
        if not _castable(operand.type, target):
            raise NotThereYet(f"CAST of {operand.type.flink} AS {target.flink}", self.at)
        if kind.is_string and target.is_timestamp:
            return self._read_time(operand.sql, target, target)
        if kind.is_string:
            return _to_length(self._read(operand.sql, target, target), target)
        if self.fails and may_not_fit(kind, target) and not surely_fits(operand, target):
            return fitted(operand.sql, target)
        return _to_length(self._spark(operand.sql, target), target)

    def _spark(self, sql: str, target: DataType) -> str:
        """A cast by Spark: "TRY_CAST(`s` AS INT)"."""
        return f"{'CAST' if self.fails else 'TRY_CAST'}({sql} AS {target.spark})"

    # ------------------------------------------------------------------ from strings

    def _read(self, sql: str, target: DataType, written: DataType) -> str:
        """A text as the target type: "IF(`s` IS NULL, NULL, coalesce(try_cast(…), raise_error(…)))".

        `written` is the type that the report writes, for the error.
        """
        if len(sql) > _LONG:
            name = f"_nrt_s{self.depth}"
            return _once(sql, name, self._read(name, target, written))
        value = value_of(sql, target)
        if not self.fails:
            return value
        before, after = f"{STOP_MARK}'", f"' can't be cast to {written.flink}"
        words = f"concat({string_literal(before)}, {sql}, {string_literal(after)})"
        return f"IF({sql} IS NULL, NULL, coalesce({value}, raise_error({words})))"

    def _read_time(self, sql: str, target: DataType, written: DataType) -> str:
        """A text as a time: `_read`, cut to the digits of its type."""
        read = self._read(sql, target, written)
        return _shortened(read, cut(read, target), target)

    # ------------------------------------------------------------------ to strings

    def _text(self, operand: Typed, target: DataType) -> str:
        """A value as Flink prints it: "upper(CAST(`b` AS STRING))", "date_format(`ts`, 'yyyy-MM-dd HH:mm:ss.SSS')"."""
        kind = operand.type
        if kind.name == "BOOLEAN":
            return f"upper(CAST({operand.sql} AS STRING))"
        if kind.name == "TIME":
            return as_text(operand.sql, kind.precision or 0)
        if kind.is_timestamp:
            return _timestamp_text(as_local(operand))
        if kind.is_string or kind.is_numeric or kind.name == "DATE":
            return self._spark(operand.sql, target)
        if kind.is_bytes:
            return f"make_valid_utf8(CAST({operand.sql} AS STRING))"
        if kind.name not in _NESTED:
            raise NotThereYet(f"CAST of {kind.flink} AS {target.flink}", self.at)
        name = f"_nrt_t{self.depth}"
        inner = replace(self, depth=self.depth + 1)

        def shown(sql: str, part: DataType) -> str:
            return f"coalesce({inner._text(Typed(sql, part), target)}, 'NULL')"

        parts = [part for _, part in kind.children]
        if kind.name == "ARRAY":
            listed = f"transform({operand.sql}, {name} -> {shown(name, parts[0])})"
            return f"concat('[', array_join({listed}, ', '), ']')"
        if kind.name == "MAP":
            entry = f"concat({shown(f'{name}.key', parts[0])}, '=', {shown(f'{name}.value', parts[1])})"
            listed = f"transform(map_entries({operand.sql}), {name} -> {entry})"
            return f"concat('{{', array_join({listed}, ', '), '}}')"
        fields = [shown(f"{name}.{quote(field)}", part) for field, part in kind.children]
        body = f"concat('(', concat_ws(', ', {', '.join(fields)}), ')')"
        return _once(operand.sql, name, f"IF({name} IS NULL, NULL, {body})")

    # ------------------------------------------------------------------ to the same with other values

    def _nested(self, operand: Typed, target: DataType) -> str:
        """An ARRAY, MAP or ROW with other elements: "transform(`a`, _nrt_c0 -> CAST(_nrt_c0 AS BIGINT))"."""
        if _same(operand.type, target):
            return operand.sql
        name = f"_nrt_c{self.depth}"
        inner = replace(self, depth=self.depth + 1)
        pairs = [(old, new) for (_, old), (_, new) in zip(operand.type.children, target.children)]
        if target.name == "ARRAY":
            return f"transform({operand.sql}, {name} -> {inner.value(Typed(name, pairs[0][0]), pairs[0][1])})"
        if target.name == "MAP":
            entry = ", ".join(
                inner.value(Typed(f"{name}.{part}", old), new) for part, (old, new) in zip(("key", "value"), pairs)
            )
            return f"map_from_entries(transform(map_entries({operand.sql}), {name} -> struct({entry})))"
        if len(operand.type.children) != len(target.children):
            raise NotThereYet(f"CAST of {operand.type.flink} AS {target.flink}", self.at)
        fields = ", ".join(
            f"{string_literal(field)}, {inner.value(Typed(f'{name}.{quote(before)}', old), new)}"
            for (before, _), (field, _), (old, new) in zip(operand.type.children, target.children, pairs)
        )
        return _once(operand.sql, name, f"IF({name} IS NULL, NULL, named_struct({fields}))")


def _tried_array(operand: Typed, target: DataType, at: Place) -> str:
    """TRY_CAST of an array, which is NULL as a whole if one of its elements can't be cast.

    It is "transform(array(`a`), _nrt_x -> IF(exists(_nrt_x, …), NULL, transform(_nrt_x, _nrt_a -> …)))[0]".
    """
    if operand.type.name != "ARRAY" or target.name != "ARRAY" or target.children[0][1].name in _NESTED:
        raise NotThereYet(f"TRY_CAST of {operand.type.flink} AS {target.flink}", at, "CAST or TRY_CAST what is inside")
    tried = _Cast(False, at, 1).value(Typed("_nrt_a", operand.type.children[0][1]), target.children[0][1])
    failed = f"exists(_nrt_x, _nrt_a -> _nrt_a IS NOT NULL AND {tried} IS NULL)"
    return _once(operand.sql, "_nrt_x", f"IF({failed}, NULL, transform(_nrt_x, _nrt_a -> {tried}))")


def _never_fails(source: DataType, target: DataType) -> bool:
    if target.is_string:
        return True
    if source.name in _NESTED or target.name in _NESTED:
        inner = zip(source.children, target.children)
        return source.name == target.name and all(_never_fails(old, new) for (_, old), (_, new) in inner)
    return source.with_nullable(True) == target.with_nullable(True) or (
        source.is_integer and target.is_integer and source.digits <= target.digits
    )


def _once(sql: str, name: str, body: str) -> str:
    """The body, in which `name` is the value of the expression: "transform(array(`s`), _nrt_s0 -> …)[0]"."""
    return f"transform(array({sql}), {name} -> {body})[0]"


def _is_there(source: DataType, target: DataType) -> bool:
    """Whether a cast leaves its operand as it is: between times of enough digits, or equal nested types."""
    if source.name == target.name == "TIME":
        return (target.precision or 0) >= (source.precision or 0)
    return source.name in _NESTED and source.name == target.name and _same(source, target)


def _same(a: DataType, b: DataType) -> bool:
    """Whether values of type `a` need no cast to type `b`. Names of fields must be equal. A STRING takes any length."""
    if a.children or b.children:
        return (
            a.name == b.name
            and len(a.children) == len(b.children)
            and all(
                (a.name != "ROW" or one[0] == other[0]) and _same(one[1], other[1])
                for one, other in zip(a.children, b.children)
            )
        )
    return a.with_nullable(True) == b.with_nullable(True) or (a.is_string and b.name == "STRING")


def _to_length(sql: str, kind: DataType) -> str:
    """A string, bytes or a time with the length or the precision of its type: "left(`s`, 3)".

    Spark keeps them in full.
    """
    if kind.name == "CHAR":
        return f"rpad({sql}, {kind.precision}, ' ')"
    if kind.name == "VARCHAR":
        return f"left({sql}, {kind.precision})"
    if kind.name == "BINARY":
        return f"rpad({sql}, {kind.precision}, X'00')"
    if kind.name == "VARBINARY":
        return f"substring({sql}, 1, {kind.precision})"
    if kind.name == "TIME":
        return to_digits(sql, kind.precision or 0)
    return _shortened(sql, truncated(sql, kind), kind)


def _shortened(sql: str, cut_off: str, kind: DataType) -> str:
    """A time with the digits of its type: "CAST(timestamp_millis(… div 100 * 100) AS TIMESTAMP_NTZ)".

    Of rows of earlier entries, one of so many digits kept all that it had.
    """
    kept_all = kind.is_timestamp and kind.precision in (1, 2, 4, 5)
    return since(DIGITS_OF_TYPES, cut_off, sql) if kept_all else cut_off


def _timestamp_text(typed: Typed) -> str:
    """A TIMESTAMP(p) as Flink prints it, always p fraction digits: "date_format(`ts`, 'yyyy-MM-dd HH:mm:ss.SSS')"."""
    precision = typed.type.precision or 0
    fraction = "." + "S" * precision if precision else ""
    return f"date_format({typed.sql}, 'yyyy-MM-dd HH:mm:ss{fraction}')"


def _castable(source: DataType, target: DataType) -> bool:
    if source.is_numeric:
        return target.is_numeric or target.name == "BOOLEAN"
    if source.name == "BOOLEAN":
        return target.is_numeric or target.name == "BOOLEAN"
    if source.is_string:
        return target.is_numeric or target.name in ("DATE", "TIMESTAMP", "BOOLEAN") or target.is_bytes
    if source.is_bytes:
        return target.is_bytes
    if source.name in ("DATE", "TIMESTAMP"):
        return target.name in ("DATE", "TIMESTAMP")
    return source.name == target.name and source.name not in _NESTED
