"""Footers of Parquet files: rows, extremes and NULLs of columns, and Spark's schema, read without a Spark job.

The footer is a Thrift structure in the compact protocol (parquet-format, `FileMetaData`). It is decoded whole into
field numbers and values, and a few of them are used. Through the JVM this would take a hundred calls a file.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql.types import StructType

_MAGIC = b"PAR1"
_TAIL = len(_MAGIC) + 4
_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"


@dataclass(frozen=True)
class ColumnFooter:
    """A column: its extremes if it is BIGINT and has a value, and the number of its NULLs.

    `nulls` is None if the file has no number: Spark writes no statistics of a column with values of 4 KB and more.
    """

    least: int | None
    most: int | None
    nulls: int | None


@dataclass(frozen=True)
class Footer:
    rows: int
    columns: dict[str, ColumnFooter]


def read_footer(files: Iterable[Path], columns: Iterable[str] = ()) -> Footer:
    """The merged footers of these files, with these columns. Raises ValueError if one is no Parquet file."""
    rows = 0
    found = {name: ColumnFooter(None, None, 0) for name in columns}
    for file in files:
        for group in _file_metadata(file).get(4, ()):
            rows += group[3]
            for chunk in group[1] if found else ():
                name = ".".join(part.decode() for part in chunk[3][3])
                if name in found:
                    found[name] = _merged(found[name], chunk[3].get(12, {}))
    return Footer(rows, found)


def schema_of(file: Path) -> StructType:
    """The schema of a file that Spark wrote. Raises ValueError if it did not."""
    for pair in _file_metadata(file).get(5, ()):
        if pair[1] == _SCHEMA:
            return StructType.fromJson(json.loads(pair[2]))
    raise ValueError(f"{file} was not written by Spark")


def _merged(column: ColumnFooter, statistics: dict[int, Any]) -> ColumnFooter:
    least, most = _bigint(statistics.get(6)), _bigint(statistics.get(5))
    return ColumnFooter(
        least if column.least is None else column.least if least is None else min(column.least, least),
        most if column.most is None else column.most if most is None else max(column.most, most),
        None if column.nulls is None or 3 not in statistics else column.nulls + statistics[3],
    )


def _bigint(value: bytes | None) -> int | None:
    return int.from_bytes(value, "little", signed=True) if value is not None and len(value) == 8 else None


def _file_metadata(file: Path) -> dict[int, Any]:
    with open(file, "rb") as content:
        size = content.seek(0, 2)
        if size < 2 * _TAIL:
            raise ValueError(f"{file} is no Parquet file")
        content.seek(size - _TAIL)
        length, magic = struct.unpack("<i4s", content.read(_TAIL))
        if magic != _MAGIC:
            raise ValueError(f"{file} is no Parquet file")
        content.seek(size - _TAIL - length)
        return _Decoder(content.read(length)).structure()


class _Decoder:
    """Thrift's compact protocol: a structure becomes a mapping from field numbers to values."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def structure(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            delta, kind = head >> 4, head & 15
            number = number + delta if delta else self._zigzag()
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (4, 5, 6):
            return self._zigzag()
        if kind == 8:
            return self._take(self._varint())
        if kind in (9, 10):
            return self._list()
        if kind == 12:
            return self.structure()
        if kind == 7:
            return struct.unpack("<d", self._take(8))[0]
        if kind in (1, 2, 3):
            return self._byte()
        raise ValueError(f"unknown Thrift type {kind}")

    def _list(self) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        return [self._value(head & 15) for _ in range(count)]

    def _byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def _take(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]

    def _varint(self) -> int:
        result = shift = 0
        while True:
            byte = self._byte()
            result |= (byte & 127) << shift
            if byte < 128:
                return result
            shift += 7

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
