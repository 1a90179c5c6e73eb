"""A column of a Parquet file whose type is not that of its table: both types in words of the report."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.parquet as pq

_MISMATCH = re.compile(r"column: \[([^\]]+)\], physicalType: (\w+), logicalType: ([^\n]+)")
_GROUP = re.compile(r"(?:optional|required) (\w+) (\S+)(?: \([^\n]*\))? is not a group")
_OF_SPARK = {"timestamp_ntz": "TIMESTAMP", "timestamp": "TIMESTAMP_LTZ", "binary": "BYTES"}
_OF_ARROW = {
    pa.int8(): "TINYINT", pa.int16(): "SMALLINT", pa.int32(): "INT", pa.int64(): "BIGINT", pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE", pa.bool_(): "BOOLEAN", pa.string(): "STRING", pa.large_string(): "STRING",
    pa.binary(): "BYTES", pa.large_binary(): "BYTES", pa.date32(): "DATE",
}  # fmt: skip
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}


def mismatch(said: str, path: str | None) -> str | None:
    """What of a file at a path does not fit its table, by what Spark has said of it; None if that is something else."""
    if (found := _MISMATCH.search(said)) is not None:
        column, physical, wanted = found.groups()
        names = [name.strip() for name in column.split(",")]
        table = _OF_SPARK.get(wanted, wanted.upper())
    elif (found := _GROUP.search(said)) is not None:
        physical, names, table = found.group(1).upper(), [found.group(2)], "a type with fields"
    else:
        return None
    stored = _stored(path, names) or f"Parquet's {physical}"
    return (
        f"its column {'.'.join(names)} is {stored}, and the table says {table}. Declare the column as it is in the "
        f"file (a query converts it by CAST), or write the file with {table}"
    )


def _stored(path: str | None, names: list[str]) -> str | None:
    """The type of a column, by its path of names; None if this process can't read the file."""
    if path is None:
        return None
    try:
        fields = pq.read_schema(path)
        kind = fields.field(names[0]).type
        for name in names[1:]:
            if pa.types.is_struct(kind):
                kind = kind.field(name).type
            elif pa.types.is_list(kind) and name == "element":
                kind = kind.value_type
            elif not (pa.types.is_list(kind) and name == "list"):
                return None
    except (pa.ArrowException, OSError, KeyError):
        return None
    return in_words(kind)


def in_words(kind: pa.DataType) -> str:
    """A type of Arrow as SQL declares it: "ARRAY<DECIMAL(10, 2)>"."""
    if pa.types.is_decimal(kind):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return f"{'TIMESTAMP' if kind.tz is None else 'TIMESTAMP_LTZ'}({_DIGITS[kind.unit]})"
    if pa.types.is_time(kind):
        return f"TIME({_DIGITS[kind.unit]})"
    if pa.types.is_list(kind):
        return f"ARRAY<{in_words(kind.value_type)}>"
    if pa.types.is_map(kind):
        return f"MAP<{in_words(kind.key_type)}, {in_words(kind.item_type)}>"
    if pa.types.is_struct(kind):
        return f"ROW<{', '.join(f'{one.name} {in_words(one.type)}' for one in kind)}>"
    return _OF_ARROW.get(kind, f"Arrow's {kind}")
