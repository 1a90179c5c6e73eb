"""Arrow arrays as lists of Python values: a struct is a Row, a map a dict."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pyarrow as pa

from airflow_nrt.basics.types import DataType
from airflow_nrt.functions import Row

_ARROW = {
    "BOOLEAN": pa.bool_(), "TINYINT": pa.int8(), "SMALLINT": pa.int16(), "INT": pa.int32(), "BIGINT": pa.int64(),
    "FLOAT": pa.float32(), "DOUBLE": pa.float64(), "DATE": pa.date32(),
    **dict.fromkeys(("BYTES", "VARBINARY", "BINARY"), pa.binary()),
    "TIME": pa.time64("us"), "TIMESTAMP": pa.timestamp("us"),
    "STRING": pa.string(), "VARCHAR": pa.string(), "CHAR": pa.string(),
}  # fmt: skip


def arrow_type(kind: DataType) -> pa.DataType:
    if kind.name == "DECIMAL":
        return pa.decimal128(kind.precision or 10, kind.scale or 0)
    children = [(name, arrow_type(child)) for name, child in kind.children]
    if kind.name == "ROW":
        return pa.struct(children)
    if kind.name == "ARRAY":
        return pa.list_(children[0][1])
    if kind.name == "MAP":
        return pa.map_(children[0][1], children[1][1])
    return _ARROW[kind.name]


def values(array: pa.Array) -> list[Any]:
    """The values of an array, None where they are NULL."""
    kind = array.type
    if pa.types.is_struct(kind):
        names = tuple(field.name for field in kind)
        rows = [Row.of(row, names) for row in zip(*map(values, array.flatten()))]
        return _masked(array, rows)
    if pa.types.is_map(kind):
        keys, items, ends = values(array.keys), values(array.items), array.offsets.to_pylist()
        return _masked(array, [dict(zip(keys[a:b], items[a:b])) for a, b in pairwise(ends)])
    if pa.types.is_list(kind):
        elements, ends = values(array.values), array.offsets.to_pylist()
        return _masked(array, [elements[a:b] for a, b in pairwise(ends)])
    if array.null_count == 0 and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        plain: list[Any] = array.to_numpy(zero_copy_only=False).tolist()
        return plain
    listed: list[Any] = array.to_pylist()
    return listed


def _masked(array: pa.Array, found: list[Any]) -> list[Any]:
    if array.null_count == 0:
        return found
    return [one if valid else None for one, valid in zip(found, array.is_valid().to_pylist())]
