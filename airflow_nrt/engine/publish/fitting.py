"""Staging of the rows that a sink can take. Others go into the ledger, and the files of the log count them."""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from airflow_nrt.basics.instants import format_instant
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.sinks.limits import REFUSED, Limit, in_words, is_of_key, why_refused
from airflow_nrt.engine.sinks.staged_parquet import STAGED_OP
from airflow_nrt.engine.spark.footers import read_footer
from airflow_nrt.files.checksum import checksum_of
from airflow_nrt.files.durable import replace_file
from airflow_nrt.files.private_files import make_private
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Published
from airflow_nrt.model.plan import Insert

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 200
"""The characters of a value in the ledger."""

log = logging.getLogger(__name__)


_AGAIN = 30
"""Seconds until a sink is asked again that did not answer."""


@dataclass
class KnownLimits:
    """What sinks can't take, asked for once. Nothing is known of one that does not answer."""

    _limits: dict[str, Sequence[Limit]] = field(default_factory=dict)
    _again: dict[str, float] = field(default_factory=dict)

    def of(self, spark: SparkSession, insert: Insert) -> Sequence[Limit]:
        known = self._limits.get(insert.name)
        if known is not None or time.monotonic() < self._again.get(insert.name, 0):
            return known or ()
        try:
            found = self._limits[insert.name] = sink_of(insert).limits(spark, insert)
        except UnreachableError as gone:
            log.warning("results of %s are staged without knowing what its sink can take: %s", insert.name, gone)
            self._again[insert.name] = time.monotonic() + _AGAIN
            return ()
        return found


def staged(
    home: Home, insert: Insert, frame: DataFrame, directory: Path, state: str, tasks: int, limits: Sequence[Limit]
) -> Iterator[Published]:
    """As `Sink.stage`, of the rows that break no limit."""
    if not limits:
        yield from sink_of(insert).stage(frame, insert, directory, state, tasks)
        return
    frame = frame.withColumn(REFUSED, F.expr(why_refused(limits)))
    for made in sink_of(insert).stage(frame, insert, directory, state, tasks):
        footer = read_footer([home.path / made.staged], [REFUSED])
        yield made if footer.columns[REFUSED].nulls == footer.rows else _fitting(home, made)


def _fitting(home: Home, made: Published) -> Published:
    """A staged file without the rows that are rejected, which the ledger has."""
    from pyarrow import parquet

    file = home.path / made.staged
    rows = parquet.ParquetFile(file).read()
    is_refused = rows[REFUSED].is_valid()
    refused = rows.filter(is_refused)
    if not refused.num_rows:
        return made
    kept = _with_retractions(rows, refused, rows.filter(rows[REFUSED].is_null()))
    beside = file.with_name(f".{file.name}")
    parquet.write_table(kept, beside)
    shutil.copymode(file, beside)
    os.replace(beside, file)
    records = list(_records(made, refused))
    keep_refused(home, made, records)
    log.warning(
        "%s: %s rows that its table can't take are left out; the first: %s", made.insert, len(records), records[0]
    )
    return replace(made, rows=kept.num_rows, checksum=checksum_of(file), refused=len(records))


def _with_retractions(rows: pa.Table, refused: pa.Table, kept: pa.Table) -> pa.Table:
    """The rows that fit. Of a row that changed into one that does not, its key is retracted."""
    import pyarrow as pa

    if STAGED_OP not in rows.column_names:
        return kept
    is_gone = [
        op not in (None, "-D") and not is_of_key(why)
        for op, why in zip(refused[STAGED_OP].to_pylist(), refused[REFUSED].to_pylist())
    ]
    gone = refused.filter(pa.array(is_gone, pa.bool_()))
    place = rows.column_names.index(STAGED_OP)
    field = rows.schema.field(STAGED_OP)
    gone = gone.set_column(place, field, pa.array(["-D"] * gone.num_rows, field.type))
    return pa.concat_tables([kept, gone])


def keep_refused(home: Home, made: Published, records: Sequence[dict[str, Any]]) -> None:
    """Writes rejected rows into the ledger."""
    path = home.path / made.refused_rows
    make_private(path)
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
    replace_file(path / f"part-{Path(made.staged).stem}-{made.end}.txt", lines.encode())


def _records(made: Published, refused: pa.Table) -> Iterator[dict[str, Any]]:
    window = {} if made.end is None else {"window_end": format_instant(made.end)}
    for row in refused.to_pylist():
        why = in_words(row.pop(REFUSED))
        yield {"insert": made.insert, "reason": why, **window, "row": {name: _shown(one) for name, one in row.items()}}


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    text = value.decode(errors="replace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
