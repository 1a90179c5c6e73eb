"""What a topic does not keep any more: records that its retention removed, before or after they were read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.log.splits import SourceRange, Split, ranges_of
from airflow_nrt.model.connectors.kafka_options import BOUNDED, DATA_LOSS, TOPIC_ID, UNBOUNDED, kafka_option
from airflow_nrt.model.tables import Table


def check_grows(table: Table, following: Mapping[str, int], ends: Mapping[str, int]) -> None:
    """Raises InputError if a partition ends before the offset that `following` says is read next."""
    behind = [partition for partition, end in ends.items() if end < following[partition]]
    if behind and kafka_option(table, BOUNDED) == UNBOUNDED:
        one = behind[0]
        raise InputError(
            f"table {table.name!r}: partition {one} ends at offset {ends[one]}, and was read up to "
            f"{following[one]}: the topic was made anew, or lost records. Begin a new home"
        )


def check_same_topics(table: Table, known: Mapping[str, str], found: Mapping[str, str]) -> None:
    """Raises InputError if a topic is not the one that was read before: its offsets may have other records."""
    for topic, how in _anew(table, known, found).items():
        raise InputError(
            f"table {table.name!r}: topic {topic} was made anew: {how}. Begin a new home; if each offset has the "
            f"record that it had (a mirror), '{TOPIC_ID}' = 'ignore' goes on"
        )


def same_topics(
    table: Table, splits: Iterable[Split], found: Mapping[str, str]
) -> tuple[tuple[SourceRange, ...], list[str]]:
    """The ranges whose topic is the one that was read, and messages about the others. `found` are the ids of topics."""
    ranges = ranges_of(splits)
    known = {topic_of(one.part): one.topic_id for one in ranges if one.topic_id is not None}
    anew = _anew(table, known, found)
    problems = [
        f"topic {topic} was made anew, so that its offsets have other records: {how}. Nothing proves their windows any "
        f"more; if each offset has the record that it had (a mirror), set '{TOPIC_ID}' = 'ignore'"
        for topic, how in anew.items()
    ]
    return tuple(one for one in ranges if topic_of(one.part) not in anew), problems


def _anew(table: Table, known: Mapping[str, str], found: Mapping[str, str]) -> dict[str, str]:
    """By topic that is another one than before, its ids."""
    if kafka_option(table, TOPIC_ID) == "ignore":
        return {}
    return {
        topic: f"its id is {found[topic]}, and records of the one with the id {before} were read"
        for topic, before in known.items()
        if found.get(topic, before) != before
    }


def topic_of(part: str) -> str:
    """The topic of a partition, `orders-0`."""
    return part.rpartition("-")[0]


def removed_unread(table: Table, following: Mapping[str, int], starts: Mapping[str, int]) -> Iterator[SourceRange]:
    """The records that were removed before they were read: partitions start after the offset that is read next.

    Raises InputError unless the table allows that.
    """
    for partition, start in starts.items():
        expected = following[partition]
        if start <= expected:
            continue
        if kafka_option(table, DATA_LOSS) == "fail":
            raise InputError(
                f"table {table.name!r}: Kafka has removed the records {expected} to {start - 1} of partition "
                f"{partition} before they were read: give the topic a longer retention; '{DATA_LOSS}' = 'skip' "
                "goes on without them, and names them"
            )
        yield SourceRange(partition, expected, start, 0, lost=True)


def still_there(splits: Iterable[Split], starts: Mapping[str, int]) -> tuple[list[Split], list[str]]:
    """The ranges that can be read again, and messages about the others. `starts` are the partitions there are."""
    usable, problems = list[Split](), []
    expired: dict[str, int] = {}
    for one in ranges_of(splits):
        if one.part not in starts:
            problems.append(f"{one.part} was read and is gone")
        elif one.start < starts[one.part] and not one.is_empty:
            expired[one.part] = min(one.start, expired.get(one.part, one.start))
        else:
            usable.append(one)
    problems += [
        f"{part}: Kafka has removed the records {start} to {starts[part] - 1}, which were read: nothing proves "
        "their windows any more. Give the topic a longer retention"
        for part, start in expired.items()
    ]
    return usable, problems
