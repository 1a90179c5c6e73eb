"""A new source: one file of JSON lines that grows. What was appended since the last look is a range of bytes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.engine.sources.formats.json import parse_json, with_objects
from airflow_nrt.engine.sources.place import BLOCK, FILE, INDEX, NUMBER
from airflow_nrt.engine.sources.request import ReadRequest
from airflow_nrt.engine.sources.source import Source, SplitEnumerator
from airflow_nrt.engine.spark.given_rows import given_rows
from airflow_nrt.home.log.splits import SourceRange, Split, ranges_of
from airflow_nrt.model.connectors.connector import SourceOnly
from airflow_nrt.model.options.known import EVERY_SOURCE, SOURCE_OPTIONS
from airflow_nrt.model.options.option import named
from airflow_nrt.model.plan import Source as PlannedSource
from airflow_nrt.model.tables import LINE, Table


class TailConnector(SourceOnly):
    name = "tail"
    options = named((*EVERY_SOURCE, *(SOURCE_OPTIONS[name] for name in ("path", "format", "json.ignore-parse-errors"))))

    def check_source(self, table: Table) -> None:
        self.check_options(table)

    def place(self, table: Table) -> str:
        return table.path


class _Appended(SplitEnumerator):
    def __init__(self, path: Path, read: Sequence[SourceRange]) -> None:
        self.path = path
        self.read_until = max((one.end for one in read), default=0)

    def poll(self) -> list[Split]:
        with self.path.open("rb") as file:
            file.seek(self.read_until)
            # A line that is still being written waits.
            whole = file.read().rpartition(b"\n")
        length = len(whole[0]) + len(whole[1])
        if not length:
            return []
        found = SourceRange(str(self.path), self.read_until, self.read_until + length, length)
        self.read_until = found.end
        return [found]

    def absorbed(self, splits: Iterable[Split]) -> None:
        pass


class Tail(Source):
    def enumerator(self, spark: SparkSession | None, table: Table, read: Iterable[Split] = ()) -> _Appended:
        return _Appended(Path(table.path), ranges_of(read))

    def read(self, spark: SparkSession, source: PlannedSource, request: ReadRequest) -> DataFrame:
        numbers = request.numbers or {}
        kinds = {LINE: "STRING", FILE: "STRING", NUMBER: "BIGINT", BLOCK: "BIGINT", INDEX: "BIGINT"}
        rows = [
            (line, one.name, numbers.get(one.name), one.start, n)
            for one in request.ranges
            for n, line in enumerate(_lines(one))
        ]
        wanted = [column for column in source.table.physical if column.name in source.physical]
        return parse_json(with_objects(given_rows(spark, kinds, rows)), source.table, wanted)

    def spellings(self, split: Split) -> tuple[str, ...]:
        return (split.name,)

    def in_ledger(self, split: Split) -> str:
        return split.name

    def change_of(self, split: Split) -> str | None:
        (one,) = ranges_of([split])
        return f"{one.part} was cut off before {one.end}" if os.stat(one.part).st_size < one.end else None


def _lines(one: SourceRange) -> list[str]:
    with open(one.part, "rb") as file:
        file.seek(one.start)
        return file.read(one.end - one.start).decode().splitlines()


CONNECTOR, SOURCE = TailConnector(), Tail()
