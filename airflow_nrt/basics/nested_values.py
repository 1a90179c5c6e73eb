"""SQL that changes values of one kind wherever they stand: in a column, or inside ROW, ARRAY and MAP."""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.types import DataType

Convert = Callable[[str, DataType], str]
"""SQL of a value, from that of the value before and its type."""


def holds(kind: DataType, is_one: Callable[[DataType], bool]) -> bool:
    """Whether a type is one of these, or contains one."""
    return is_one(kind) or any(holds(child, is_one) for _, child in kind.children)


def converted(sql: str, kind: DataType, is_one: Callable[[DataType], bool], convert: Convert, depth: int = 0) -> str:
    """The value with each of these in it converted. Of keys of a MAP that become equal, the first one counts.

    >>> numbers = DataType("ARRAY", children=(("element", DataType("INT")),))
    >>> print(converted("a", numbers, lambda kind: kind.name == "INT", lambda sql, kind: f"abs({sql})"))
    transform(a, _nrt_d0 -> abs(_nrt_d0))
    """
    if is_one(kind):
        return convert(sql, kind)
    if not holds(kind, is_one):
        return sql
    one = f"_nrt_d{depth}"

    def inner(part: str, of: DataType) -> str:
        return converted(part, of, is_one, convert, depth + 1)

    children = [child for _, child in kind.children]
    if kind.name == "ARRAY":
        return f"transform({sql}, {one} -> {inner(one, children[0])})"
    if kind.name == "MAP":
        key, value = (inner(f"{one}.{name}", child) for name, child in zip(("key", "value"), children))
        pairs = f"transform(map_entries({sql}), {one} -> struct({key} AS key, {value} AS value))"
        return f"map_from_entries({_first_of_each(pairs, depth) if holds(children[0], is_one) else pairs})"
    fields = [f"{string_literal(name)}, {inner(f'{one}.{quote(name)}', child)}" for name, child in kind.children]
    # The value is computed once, and the result is NULL where it is NULL.
    body = f"IF({one} IS NULL, NULL, named_struct({', '.join(fields)}))"
    return f"transform(array({sql}), {one} -> {body})[0]"


def _first_of_each(pairs: str, depth: int) -> str:
    """SQL of the pairs, only the first one of each key.

    >>> print(_first_of_each("p", 0))
    transform(array(p), _nrt_p0 -> IF(size(array_distinct(transform(_nrt_p0, _nrt_k0 -> _nrt_k0.key))) = size(_nrt_p0),
    _nrt_p0, filter(_nrt_p0, (_nrt_e0, _nrt_i0) -> array_position(transform(_nrt_p0, _nrt_k0 -> _nrt_k0.key),
    _nrt_e0.key) = _nrt_i0 + 1)))[0]
    """
    found, key, one, index = (f"_nrt_{name}{depth}" for name in "pkei")
    keys = f"transform({found}, {key} -> {key}.key)"
    firsts = f"filter({found}, ({one}, {index}) -> array_position({keys}, {one}.key) = {index} + 1)"
    body = f"IF(size(array_distinct({keys})) = size({found}), {found}, {firsts})"
    return f"transform(array({pairs}), {found} -> {body})[0]"
