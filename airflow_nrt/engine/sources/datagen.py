"""Connector `datagen`: rows that are made where they are read. A split is a range of their numbers.

The time of a split, when its rows are made, is its `part`: a timestamp of a row is the same whenever it is read again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.engine.sources.malformed import NO_FAULT
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.sources.source import Source, SplitEnumerator
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.log.splits import SourceRange, Split, ranges_of
from airflow_nrt.model.connectors import datagen
from airflow_nrt.model.connectors.datagen import Generated
from airflow_nrt.model.options.known import read_option
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.tables import LINE, Table

MOST_ROWS = 1_000_000
"""Of one split."""
_BYTES_OF_A_VALUE = 20
_N, _AT = "_nrt_n", "_nrt_at"


class Numbers(SplitEnumerator):
    """The numbers of the rows that are due: by the rate since the last look, or all at once if they end."""

    def __init__(self, table: Table, read: Iterable[SourceRange]) -> None:
        self._next = max((one.end for one in read), default=0)
        self._last = datagen.rows_of(table)
        self._rate: int = read_option(table.options, datagen.Datagen.options, datagen.RATE)
        self._bytes = _BYTES_OF_A_VALUE * len(table.physical)
        self._looked = time.monotonic()

    def poll(self) -> list[Split]:
        due, now = self._due(), str(now_ms())
        ends = [*range(self._next + MOST_ROWS, due, MOST_ROWS), due] if due > self._next else []
        starts = [self._next, *ends]
        self._next = max(due, self._next)
        return [SourceRange(now, a, b, (b - a) * self._bytes) for a, b in zip(starts, ends)]

    def _due(self) -> int:
        if self._last is not None:
            return self._last
        rows = int((time.monotonic() - self._looked) * self._rate)
        # Not until now: a fraction of a row would be lost with each look.
        self._looked += rows / self._rate
        return self._next + rows

    def absorbed(self, splits: Iterable[Split]) -> None:
        """Nothing is kept of them."""


class Datagen(Source):
    def enumerator(self, spark: SparkSession | None, table: Table, read: Iterable[Split] = ()) -> Numbers:
        return Numbers(table, ranges_of(read))

    def read(self, spark: SparkSession, source: PlannedSource, request: ReadRequest) -> DataFrame:
        numbers = request.numbers or {}
        kinds = {FILE: "STRING", NUMBER: "BIGINT", BLOCK: "BIGINT", "_nrt_until": "BIGINT", _AT: "BIGINT"}
        given = [(one.name, numbers.get(one.name), one.start, one.end, int(one.part)) for one in request.ranges]
        rows = given_rows(spark, kinds, given).selectExpr("*", f"explode(sequence({BLOCK}, _nrt_until - 1)) AS {_N}")
        wanted = (one for one in datagen.generated(source.table) if one.column.name in source.physical)
        values = (f"{_value(one)} AS {quote(one.column.name)}" for one in wanted)
        place = (FILE, NUMBER, BLOCK, f"{_N} - {BLOCK} AS {INDEX}")
        return request.tasks.gathered(rows.selectExpr(*values, f"CAST(NULL AS STRING) AS {LINE}", *NO_FAULT, *place))

    def spellings(self, split: Split) -> tuple[str, ...]:
        return (split.name,)

    def in_ledger(self, split: Split) -> str:
        return split.name

    def change_of(self, split: Split) -> None:
        """Nothing changes them."""


def _value(one: Generated) -> str:
    """SQL of a value, of the number and the time of its row.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> one = Generated(Column("at", DataType("TIMESTAMP")), {})
    >>> print(_value(one))
    CAST(timestamp_millis(_nrt_at - pmod(xxhash64(_nrt_n, 'at at'), 1L)) AS TIMESTAMP_NTZ)
    """
    kind = one.column.type
    if one.is_sequence:
        value = f"CAST({one.options['start']} + {_N} AS {kind.spark})"
    elif kind.is_numeric:
        value = _number(one)
    elif kind.is_string:
        value = _hex(one, one.length)
    elif kind.is_bytes:
        value = f"unhex({_hex(one, 2 * one.length)})"
    elif kind.is_timestamp:
        past = int(one.options.get("max-past", 0))
        value = f"CAST(timestamp_millis({_AT} - pmod({_hash(one, 'at')}, {past + 1}L)) AS {kind.spark})"
    elif kind.name == "BOOLEAN":
        value = f"{_hash(one, 'is')} > 0"
    else:
        value = f"CAST(timestamp_millis({_AT}) AS {kind.spark})"
    rate = one.options.get("null-rate", 0.0)
    return f"IF({_share(one, 'null')} < {rate}D, NULL, {value})" if rate else value


def _number(one: Generated) -> str:
    """SQL of a number within its bounds.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> one = Generated(Column("n", DataType("INT")), {"min": 1, "max": 6})
    >>> print(_number(one))
    CAST(pmod(CAST(xxhash64(_nrt_n, 'n n') AS DECIMAL(20,0)), CAST('6' AS DECIMAL(20,0))) + CAST('1' AS DECIMAL(20,0))
    AS INT)
    """
    kind, (least, greatest) = one.column.type, one.bounds
    if kind.is_integer:
        # The whole range of BIGINT has more numbers than a BIGINT can count.
        exact = f"pmod(CAST({_hash(one, 'n')} AS DECIMAL(20,0)), CAST('{greatest - least + 1}' AS DECIMAL(20,0)))"
        return f"CAST({exact} + CAST('{least}' AS DECIMAL(20,0)) AS {kind.spark})"
    return f"CAST({float(least)!r}D + {_share(one, 'n')} * {float(greatest - least)!r}D AS {kind.spark})"


def _hex(one: Generated, length: int) -> str:
    """SQL of so many hexadecimal digits.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> one = Generated(Column("code", DataType("STRING")), {})
    >>> print(_hex(one, 8))
    left(concat(sha2(concat(_nrt_n, ':code:0'), 256)), 8)
    """
    digests = (f"sha2(concat({_N}, {string_literal(f':{one.column.name}:{n}')}), 256)" for n in range(-(-length // 64)))
    text = f"left(concat({', '.join(digests)}), {length})"
    if not one.options.get("var-len"):
        return text
    step = 2 if one.column.type.is_bytes else 1
    return f"left({text}, CAST({step} * (1 + pmod({_hash(one, 'length')}, {length // step}L)) AS INT))"


def _share(one: Generated, of: str) -> str:
    """SQL of a number from 0 to below 1.

    >>> from airflow_nrt.basics.types import DataType
    >>> from airflow_nrt.model.tables import Column
    >>> one = Generated(Column("n", DataType("INT")), {})
    >>> print(_share(one, "null"))
    (pmod(xxhash64(_nrt_n, 'n null'), 9007199254740992L) / 9007199254740992D)
    """
    return f"(pmod({_hash(one, of)}, {2**53}L) / {2**53}D)"


def _hash(one: Generated, of: str) -> str:
    return f"xxhash64({_N}, {string_literal(f'{one.column.name} {of}')})"
