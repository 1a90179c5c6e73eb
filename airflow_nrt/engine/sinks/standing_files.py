"""The rows in a directory of results, as any reader sees them, with the window that the log says of their file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sinks.partition_names import with_read_names
from airflow_nrt.engine.sinks.result_files import read_folded, read_results
from airflow_nrt.engine.sinks.sink import Decided, Standing
from airflow_nrt.engine.sources.place import FILE, known_files
from airflow_nrt.engine.spark.paths import GLOB, file_keys
from airflow_nrt.model.internal_columns import WINDOW_END
from airflow_nrt.model.options.known import sink_option
from airflow_nrt.model.plan import Insert


def visible_files(root: Path, suffix: str) -> list[Path]:
    """The files that readers of the directory see: no part of their path begins with `_` or `.`."""
    found = (path for path in root.rglob(f"*.{suffix}") if path.is_file())
    return sorted(p for p in found if not any(part.startswith(("_", ".")) for part in p.relative_to(root).parts))


def standing_rows(
    spark: SparkSession,
    insert: Insert,
    decided: Decided,
    ends: Iterable[int | None],
    base: Path,
) -> Standing:
    """The rows of the windows that end at `ends`, from files below `base`; foreign files are listed separately."""
    wanted = set(ends)
    # Other inserts of the report may publish into the same directory.
    of_others = {target for name, target in decided if name != insert.name}
    mine, foreign = [], []
    for path in visible_files(base, insert.sink.suffix):
        place = str(path.relative_to(base))
        published = decided.get((insert.name, place))
        if published is not None and published.end in wanted:
            mine.append((path, published.end))
        elif published is None and place not in of_others:
            foreign.append(path)
    places = {place: n for n, place in enumerate(decided)}
    mine.sort(key=lambda one: places[insert.name, str(one[0].relative_to(base))])
    return Standing(_read(spark, insert, base, mine), {str(path.relative_to(base)): str(path) for path in foreign})


def _read(spark: SparkSession, insert: Insert, base: Path, files: list[tuple[Path, int | None]]) -> DataFrame:
    table = insert.sink
    if insert.emits_changes and files:
        return read_folded(spark, table, base, files)
    rows = read_results(spark, table, base, [path for path, _ in files])
    ends = {key: (end,) for path, end in files for key in file_keys(str(path))}
    return known_files(rows, ends, WINDOW_END).drop(FILE)


def blurred(insert: Insert) -> frozenset[str]:
    """The columns of texts in which a reader of the sink can't distinguish '' from NULL: in csv without a literal for
    NULL, and in the names of directories."""
    table = insert.sink
    bare = table.format == "csv" and sink_option(table.options, "csv.null-literal") is None
    strings = frozenset(field.name for field in insert.query.fields if field.type.spark == "STRING")
    return strings if bare else strings.intersection(table.partition_keys)


def as_read(insert: Insert, rows: DataFrame) -> DataFrame:
    """Rows of a result as a reader of the sink can see them."""
    rows = with_read_names(rows, insert.sink)
    texts = blurred(insert)
    if not texts:
        return rows
    shown = [f"nullif({quote(n)}, '') AS {quote(n)}" if n in texts else quote(n) for n in rows.columns]
    return rows.selectExpr(*shown)


def foreign_rows(spark: SparkSession, insert: Insert, files: Iterable[Path]) -> int:
    """The number of rows in foreign files."""
    kind = insert.sink.suffix
    paths = [str(path).translate(GLOB) for path in files]
    return spark.read.format(kind).load(paths).count() if paths else 0
