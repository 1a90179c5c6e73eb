"""A report on trial: its stream, batch by batch, in this process."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.instants import format_instant, parse_instant
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.engine.driver.stream import StreamDriver
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.functions.report_session import report_session
from airflow_nrt.engine.sources import source_of
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Lease, Published
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.log.history.sink_history import standing_at
from airflow_nrt.model.connectors import connector_of
from airflow_nrt.model.options.change_formats import DEBEZIUM
from airflow_nrt.model.options.known import DOMAIN
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.plan import Insert, Plan, Source
from airflow_nrt.model.tables import Table
from airflow_nrt.table.reports.load import load_report
from airflow_nrt.testing.rows import Row, check_columns, read_rows, write_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_MASTER = "local[1]"
_KEPT = ("scan.null-rowtime", DOMAIN)
"""Options of sources about rows, not about files. A test waits for no clock."""


@contextmanager
def trial(
    report: str | Path, settings: Mapping[str, str] | Settings | None = None, base: Path | None = None
) -> Iterator[Trial]:
    """A trial of a report: a file of Flink SQL, a Python program, or `[DIR/]module:function`.

    `settings` fill its placeholders. Its tables are empty, whatever is at their paths. The Spark session of this
    process is used, and started by the first trial. Raises InputError for a report that is wrong (SqlError).
    """
    plan = load_report(report, settings, base=base)
    with tempfile.TemporaryDirectory(prefix="airflow-nrt-") as directory:
        yield Trial(_session(plan), moved_into(plan, Path(directory)), Path(directory) / "home")


class Trial:
    """A report on trial. Times are of its clock, such as `2024-06-18 10:00`."""

    def __init__(self, spark: SparkSession, plan: Plan, home: Path) -> None:
        self.plan = plan
        for lookup in plan.lookups:
            Path(lookup.table.path).mkdir(parents=True, exist_ok=True)
        self._home = Home.create(home, plan)
        session = report_session(spark, plan)
        self._driver = StreamDriver(session, plan, self._home, Writer.begin(self._home.log(), Lease("", 0, "")))
        self._enumerators = {one.name: source_of(one.table).enumerator(spark, one.table) for one in plan.sources}

    # ------------------------------------------------------------------ what happens

    def rows(self, table: str, *rows: Mapping[str, Any]) -> None:
        """Rows of a source arrive together: one batch, whose lateness is judged by the watermark before it.

        A row has the table's columns by name; numbers and times may be texts. Raises InputError for an unknown source
        or column, DataError for a value that does not fit its type.
        """
        source = self._source(table)
        number = self._driver.position.sources[table].files
        write_rows(source, rows, Path(source.path) / f"{number:06}.json")
        with _in_words(self.plan):
            self._driver.absorb(table, self._enumerators[table].poll())

    def dimension(self, table: str, *rows: Mapping[str, Any]) -> None:
        """These rows are what a table that is looked up has from now on. Before, it is empty.

        Raises InputError for a table that is not looked up, and for an unknown column.
        """
        known = {lookup.name: lookup.table for lookup in self.plan.lookups}
        if table not in known:
            raise InputError(
                f"{self.plan.name} looks up no table {table!r}{nearest(table, known) or _listed([*known])}"
            )
        directory = Path(known[table].path)
        write_rows(known[table], rows, directory / ".rows.json")
        (directory / ".rows.json").rename(directory / "rows.json")

    def watermark(self, table: str, time: str) -> None:
        """The watermark of a source moves on to a time: nothing older is expected, and what is due is published.

        If the rowtime is a TIMESTAMP_LTZ, the time is an instant: in UTC, or with an offset. Raises InputError for an
        unknown source or an invalid time.
        """
        self._source(table)
        with _in_words(self.plan):
            self._driver.advance(table, _instant(time))

    def end(self) -> None:
        """No source has more rows: every window is complete."""
        with _in_words(self.plan):
            for source in self.plan.sources:
                self._driver.note(source.name, ended=True)

    # ------------------------------------------------------------------ what became of it

    def windows(self, insert: str | None = None, *columns: str) -> dict[str, list[Row]]:
        """The rows of each window that was published, by its end, with these columns (default: all), in a fixed order.

        `insert` is the table that is written; it may be left out where there is one. DECIMAL is Decimal. Raises
        InputError for an unknown table or column.
        """
        chosen = self._insert(insert)
        check_columns(chosen.sink, columns)
        files: dict[int, list[Path]] = defaultdict(list)
        for one in self._standing(chosen):
            if one.end is not None:
                files[one.end].append(Path(chosen.sink.path) / one.target)
        return {format_instant(end): read_rows(chosen.sink, files[end], columns) for end in sorted(files)}

    def results(self, insert: str | None = None, *columns: str) -> list[Row]:
        """All rows of a sink, of windows or not, as `windows` gives them. A changelog is applied."""
        chosen = self._insert(insert)
        check_columns(chosen.sink, columns)
        published = self._published(chosen) if chosen.sink.is_changelog else self._standing(chosen)
        return read_rows(chosen.sink, (Path(chosen.sink.path) / one.target for one in published), columns)

    @property
    def late(self) -> int:
        """How many rows missed at least one of their windows."""
        return self._driver.position.late

    @property
    def dropped(self) -> int:
        """How many of them missed all."""
        return self._driver.position.dropped

    @property
    def rejected(self) -> int:
        """How many rows were rejected, such as those without a rowtime."""
        return sum(source.rejected for source in self._driver.position.sources.values())

    @property
    def null_fields(self) -> int:
        """How many fields could not be parsed, and were read as NULL."""
        return sum(source.null_fields for source in self._driver.position.sources.values())

    # ------------------------------------------------------------------ what it is about

    def _published(self, insert: Insert) -> list[Published]:
        entries = self._home.log().audit()
        return [one for entry in entries for one in entry.published if one.insert == insert.name]

    def _standing(self, insert: Insert) -> list[Published]:
        standing = standing_at(self._home.log().audit())
        return [one.published for one in standing if one.published.insert == insert.name]

    def _source(self, name: str) -> Table:
        names = [source.name for source in self.plan.sources]
        if name not in names:
            raise InputError(f"{self.plan.name} reads no table {name!r}{nearest(name, names) or _listed(names)}")
        return self.plan.source(name).table

    def _insert(self, name: str | None) -> Insert:
        names = [insert.name for insert in self.plan.inserts]
        if name is None and len(names) == 1:
            return self.plan.inserts[0]
        if name not in names:
            what = "writes several tables, say which" if name is None else f"writes no table {name!r}"
            raise InputError(f"{self.plan.name} {what}{nearest(name or '', names) or _listed(names)}")
        return self.plan.insert(name)


@contextmanager
def _in_words(plan: Plan) -> Iterator[None]:
    """Errors of Spark, in the report's own words."""
    try:
        yield
    except Exception as failure:
        known = explained(failure, plan.origins)
        if known is None or known is failure:
            raise
        raise known from None


def _listed(names: list[str]) -> str:
    return f": {', '.join(names)}"


def _instant(text: str) -> int:
    try:
        return parse_instant(text)
    except ValueError as wrong:
        raise InputError(str(wrong)) from None


def _session(plan: Plan) -> SparkSession:
    """The Spark session of this process, started if there is none."""
    from airflow_nrt.engine.java.finding import ensure_java

    ensure_java()
    from pyspark.sql import SparkSession

    from airflow_nrt.engine.java.brief_java import brief_java
    from airflow_nrt.engine.spark.report_settings import session_settings
    from airflow_nrt.engine.spark.session import start_session

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    spark = start_session(plan.name, _MASTER, {**brief_java(), **session_settings(plan)})
    spark.sparkContext.setLogLevel("OFF")
    return spark


def moved_into(plan: Plan, directory: Path) -> Plan:
    """The plan with sources and sinks below a directory, as files of JSON that hold all columns."""
    return replace(
        plan,
        sources=tuple(_moved_source(source, directory / "sources") for source in plan.sources),
        lookups=tuple(replace(one, table=_moved(one.table, directory / "sources", {})) for one in plan.lookups),
        inserts=tuple(_moved_insert(insert, directory / "sinks") for insert in plan.inserts),
    )


def _moved_source(source: Source, directory: Path) -> Source:
    kept = {name: value for name, value in source.table.options.items() if name.startswith(_KEPT)}
    return replace(source, table=_moved(source.table, directory, kept), partitions=None, archive=None)


def _moved_insert(insert: Insert, directory: Path) -> Insert:
    return replace(insert, sink=_moved(insert.sink, directory, {}))


def _moved(table: Table, directory: Path, kept: dict[str, str]) -> Table:
    form = DEBEZIUM.name if connector_of(table).takes_changes_as_such(table) else "json"
    options = {**kept, "connector": "filesystem", "path": str(directory / table.name), "format": form}
    return replace(table, connector="filesystem", partition_keys=(), options=options, history=None)
