"""Connector `print`: rows on the driver's standard output, or its standard error, as Flink prints them.

Printing is at least once, because it can't be undone. Rows that change have their operation: `+I[…]`, `-U[…]` and
`+U[…]`, `-D[…]`. A row is one line. Control characters of values are printed as their pictures (`␊`, `␛`), unlike in
Flink, because a value could forge a row, or control the terminal.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.times_of_day import as_printed, with_times
from airflow_nrt.engine.sinks.changelog import ORDER
from airflow_nrt.engine.sinks.ordered import ordered
from airflow_nrt.engine.sinks.sink import Sink
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Entry, Published
from airflow_nrt.model.internal_columns import OP, WINDOW_END
from airflow_nrt.model.options.known import PRINT_OPTIONS, read_option
from airflow_nrt.model.plan import Insert

_CONTROLS = {**{chr(n): chr(0x2400 + n) for n in range(0x20) if chr(n) != "\t"}, "\x7f": "␡"}
# Some terminals and editors obey these, too. They have no pictures.
_CONTROLS |= {chr(n): "\ufffd" for n in (*range(0x80, 0xA0), 0x2028, 0x2029)}
_AS_PICTURES = ", ".join(map(string_literal, ("".join(_CONTROLS), "".join(_CONTROLS.values()))))


def print_option(insert: Insert, name: str) -> Any:
    return read_option(insert.sink.options, PRINT_OPTIONS, name)


class Print(Sink):
    def check(self, spark: SparkSession, home: Home, insert: Insert) -> None:
        """Does nothing: standard output is always there."""

    def stage(self, frame: DataFrame, insert: Insert, directory: Path, state: str, tasks: int) -> Iterator[Published]:
        """Writes the lines to print below `directory`, one file a window."""
        windowed = bool(insert.operators)
        shown = (with_times(quote(column.name), column.type, as_printed) for column in insert.sink.physical)
        values = ", ', ', ".join(f"coalesce(CAST({one} AS STRING), 'null')" for one in shown)
        rows = frame.repartition(max(tasks, 1), WINDOW_END) if windowed else frame
        rows = ordered(rows, insert, [WINDOW_END] if windowed else [])
        changes = OP in frame.columns
        if changes:
            order = ([WINDOW_END] if windowed else []) + list(ORDER)
            rows = rows.sortWithinPartitions(*(F.expr(one) for one in order))
        op = OP if changes else "'+I'"
        identifier = print_option(insert, "print-identifier")
        before = f"{string_literal(f'{identifier}> ')}, " if identifier else ""
        row = f"translate(concat({before}{op}, '[', {values}, ']'), {_AS_PICTURES})"
        lines = rows.selectExpr(f"{row} AS value", *([WINDOW_END] if windowed else []))
        path = directory / insert.name
        lines.write.partitionBy(*([WINDOW_END] if windowed else [])).text(str(path))
        for file in sorted(path.rglob("part-*.txt"), key=lambda file: file.parent.name):
            content = file.read_bytes()
            end = int(file.parent.name.partition("=")[2]) if windowed else None
            start = insert.window.start(end) if end is not None and insert.window is not None else None
            checksum = hashlib.blake2b(content, digest_size=16).hexdigest()
            staged = str(file.relative_to(directory.parent.parent))
            is_changelog = windowed and insert.emits_changes
            yield Published(insert.name, start, end, state, content.count(b"\n"), checksum, staged, "", is_changelog)

    def publish(
        self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, files: Sequence[Published]
    ) -> None:
        """Prints staged files and removes them."""
        for published in files:
            self._print(insert, home.directory / published.staged)

    def _print(self, insert: Insert, path: Path) -> None:
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return
        stream = sys.stderr if print_option(insert, "standard-error") else sys.stdout
        stream.flush()
        # Bytes: an output that is not in UTF-8 refuses texts. That of a notebook takes nothing else.
        output = getattr(stream, "buffer", None)
        if output is None:
            stream.write(content.decode())
        else:
            output.write(content)
            output.flush()
        os.unlink(path)

    def remove(self, spark: SparkSession, home: Home, insert: Insert, entry: Entry, target: str) -> None:
        """Does nothing: printed rows can't be removed."""
