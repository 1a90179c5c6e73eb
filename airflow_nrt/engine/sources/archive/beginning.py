"""With which archive a new home begins, and at which offsets it goes on in the topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from airflow_nrt.basics.errors import HomeError, InputError
from airflow_nrt.basics.texts import counted
from airflow_nrt.engine.sources.archive.content import ArchiveContent, archives_of, content_of
from airflow_nrt.engine.sources.archive.stored_columns import check_columns
from airflow_nrt.engine.sources.kafka.client import Client
from airflow_nrt.home.home import Home
from airflow_nrt.home.log.splits import ArchivedElsewhere, SourceRange
from airflow_nrt.home.outline import ArchiveOutline
from airflow_nrt.home.published_directory import noted_place
from airflow_nrt.model.connectors.kafka_options import (
    DATA_LOSS,
    HISTORY,
    HISTORY_UNTIL,
    STARTUP_HOME,
    STARTUP_TIME,
    TOPIC,
    TOPIC_PATTERN,
    kafka_option,
)
from airflow_nrt.model.tables import Table
from airflow_nrt.model.zones import wall_clock


def beginnings(table: Table) -> list[SourceRange]:
    """An empty range for each partition of the archive: where it is read from, and up to where.

    Raises InputError if the table can't begin with that archive.
    """
    where = f"table {table.name!r}: '{HISTORY if HISTORY in table.options else STARTUP_HOME}'"
    try:
        home = _home_of(table)
    except (InputError, HomeError) as wrong:
        raise InputError(f"{where}: {wrong}") from None
    outline = _archive_of(home, table, where)
    check_columns(table, outline)
    content = content_of(home, outline)
    since = wall_clock(int(table.options[STARTUP_TIME]), outline.zone) if STARTUP_TIME in table.options else None
    content.check_since(since, where)
    _check_files(content, since, where)
    starts, identity = content.starts(since), home.identity().id
    if not starts:
        raise InputError(f"{where}: {home.path} has read nothing of the topic yet: start its stream first")
    return [
        SourceRange(
            part,
            starts[part],
            starts[part],
            0,
            archive=ArchivedElsewhere(str(home.path), identity, outline.name, until, since),
        )
        for part, until in content.ends().items()
    ]


def _home_of(table: Table) -> Home:
    """The home that the table names, or that writes the archive that it names. Raises InputError, HomeError."""
    place = table.options[STARTUP_HOME]
    if HISTORY not in table.options:
        return Home.open(place)
    noted = noted_place(Path(place))
    if not noted:
        raise InputError(
            f"no home writes an archive into {place}: '{HISTORY_UNTIL}' says up to which event time the rows of a "
            "table count that somebody else writes"
        )
    return Home.open(noted)


def check_goes_on(spark: SparkSession, table: Table, begins: Sequence[SourceRange]) -> None:
    """Raises InputError if the topic lacks records that follow those of the archive."""
    client = Client(spark, table)
    try:
        there = client.partitions()
        starts, ends = client.starts(there), client.ends(there)
    finally:
        client.close()
    for one in begins:
        assert one.archive is not None
        part, until = one.part, one.archive.until
        if part not in starts or ends[part] < until:
            ended = f"ends at offset {ends[part]}" if part in ends else "is gone"
            raise InputError(
                f"table {table.name!r}: the archive of {one.archive.home} has partition {part} up to offset {until}, "
                f"and the partition {ended}: the topic was made anew. Begin with another '{STARTUP_HOME}', or without"
            )
        if starts[part] > until and kafka_option(table, DATA_LOSS) == "fail":
            raise InputError(
                f"table {table.name!r}: the archive of {one.archive.home} ends at offset {until} of partition {part}, "
                f"and Kafka has removed the records up to {starts[part] - 1}: start the stream of that home until it "
                f"has caught up; '{DATA_LOSS}' = 'skip' goes on without these records, and names them"
            )


def _archive_of(home: Home, table: Table, where: str) -> ArchiveOutline:
    archives = archives_of(home)
    if not archives:
        raise InputError(
            f"{where}: {home.path} writes no archive of a topic: its report needs 'archive', without 'archive.write' = "
            "'false'. If it has that, an older version made the home: start its stream once with this one"
        )
    alike = [one for one in archives if _topics(dict(one.topics)) == _topics(table.options)]
    if not alike:
        others = ", ".join(sorted({_topics(dict(one.topics)) for one in archives}))
        raise InputError(
            f"{where}: {home.path} archives {others}, and this table reads {_topics(table.options)}: name the home "
            "that archives it"
        )
    return next((one for one in alike if one.source == table.name), alike[0])


def _topics(options: Mapping[str, str]) -> str:
    """What a table reads, for people."""
    named = sorted(one.strip() for one in options.get(TOPIC, "").split(";") if one.strip())
    return f"topic {', '.join(named)}" if named else f"topics that match {options.get(TOPIC_PATTERN)!r}"


def _check_files(content: ArchiveContent, since: int | None, where: str) -> None:
    gone = sorted(one.target for one in content.files(since) if not content.path(one).exists())
    if gone:
        hour = gone[-1].rpartition("/")[0]
        raise InputError(
            f"{where}: the archive {content.outline.directory} lacks {counted(len(gone), 'file')}, which it had, up to "
            f"{hour}: put back what is gone, or begin after that hour by '{STARTUP_TIME}'"
        )
