"""The options of topics, and what they say of a table: its topics, its properties, its keys and its values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from airflow_nrt.basics.durations import MINUTE, parse_duration
from airflow_nrt.model.connectors.avro import AVRO_OPTIONS
from airflow_nrt.model.connectors.avro_confluent import AVRO_CONFLUENT_OPTIONS
from airflow_nrt.model.connectors.record_formats import KEY_FORMATS, RECORD_FORMATS, format_name
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.known import (
    ARCHIVE_OPTIONS,
    EVERY_SINK,
    EVERY_SOURCE,
    FORMAT_OPTIONS,
    LINE_ELEMENTS,
    LIVE,
    READING_OPTIONS,
    SINK_OPTIONS,
    read_option,
)
from airflow_nrt.model.options.option import (
    Option,
    a_time,
    free,
    named,
    one_of,
    only,
    parse_boolean,
    positive,
    whole_number,
)
from airflow_nrt.model.tables import Column, Table

TOPIC, TOPIC_PATTERN = "topic", "topic-pattern"
BOOTSTRAP, GROUP, PROPERTIES = "properties.bootstrap.servers", "properties.group.id", "properties."
COMMIT = f"{PROPERTIES}commit.offsets.on.checkpoint"
STARTUP, STARTUP_OFFSETS, STARTUP_TIME = (
    "scan.startup.mode",
    "scan.startup.specific-offsets",
    "scan.startup.timestamp-millis",
)
BOUNDED, BOUNDED_OFFSETS, BOUNDED_TIME = (
    "scan.bounded.mode",
    "scan.bounded.specific-offsets",
    "scan.bounded.timestamp-millis",
)
STARTUP_HOME = "scan.startup.home"
HISTORY, HISTORY_UNTIL = "scan.history", "scan.history.until"
DISCOVERY, DATA_LOSS = "scan.topic-partition-discovery.interval", "scan.data-loss"
TOPIC_ID = "scan.topic-id"
EARLIEST, LATEST, COMMITTED, AT_TIME, AT_OFFSETS, ARCHIVED, UNBOUNDED = (
    "earliest-offset",
    "latest-offset",
    "group-offsets",
    "timestamp",
    "specific-offsets",
    "archive",
    "unbounded",
)
KEY_FORMAT, VALUE_FORMAT, KEY_FIELDS, KEY_PREFIX = "key.format", "value.format", "key.fields", "key.fields-prefix"
FIELDS_INCLUDE = "value.fields-include"
UPSERT = "upsert-kafka"
"""The connector whose keys are those of the table."""
_FORMAT_OPTIONS = (*FORMAT_OPTIONS, *READING_OPTIONS, *AVRO_OPTIONS, *AVRO_CONFLUENT_OPTIONS)


def read_offsets(text: str) -> dict[int, int]:
    """The offsets of `partition:0,offset:42;partition:1,offset:300`, by partition. Raises ValueError."""
    found = {}
    for part in filter(None, text.split(";")):
        match = re.fullmatch(r"\s*partition:(\d{1,9}),offset:(\d{1,18})\s*", part)
        if match is None:
            raise ValueError(f"{part!r} is not of the form 'partition:0,offset:42'")
        found[int(match[1])] = int(match[2])
    if not found:
        raise ValueError("it names no partition: write for example 'partition:0,offset:42;partition:1,offset:300'")
    return found


def _bounded(text: str) -> str | None:
    """Whether a topic has an end decides results; where it is does not."""
    return None if text.lower() == UNBOUNDED else "set"


def _prefixed(prefix: str) -> tuple[Option, ...]:
    return tuple(replace(option, name=f"{prefix}{option.name}") for option in _FORMAT_OPTIONS)


_PLACES = (
    Option(TOPIC, str, None, "the topic; several are separated by ';'"),
    Option(TOPIC_PATTERN, str, None, "a regular expression of Java, which the whole names of the topics match"),
    *free(
        Option(BOOTSTRAP, str, None, "the brokers, as 'host:9092,other:9092'"),
        Option(COMMIT, parse_boolean, True, "whether what was read is committed to the group, if there is one"),
        Option(f"{PROPERTIES}*", str, None, "any property of Kafka's consumer"),
    ),
    Option(
        f"{PROPERTIES}isolation.level",
        one_of("read_uncommitted", "read_committed"),
        "read_uncommitted",
        "whether records of a transaction are read before it is committed",
    ),
)
_ROWS = (
    Option("format", format_name(*RECORD_FORMATS), None, "how the value of a record is written"),
    Option(VALUE_FORMAT, format_name(*RECORD_FORMATS), None, "the same, where keys have a format, too"),
    Option(KEY_FORMAT, format_name(*KEY_FORMATS), None, "how the key of a record is written"),
    Option(KEY_FIELDS, str, None, "the columns of the key, separated by ';'"),
    Option(KEY_PREFIX, str, "", "what the names of these columns begin with, and the fields of the key don't"),
    Option(FIELDS_INCLUDE, one_of("all", "except_key"), "all", "whether the value has the columns of the key, too"),
    *_FORMAT_OPTIONS,
    *_prefixed("value."),
    *_prefixed("key."),
    LINE_ELEMENTS,
)
_POSITIONS = (
    *free(
        Option(
            STARTUP,
            one_of(EARLIEST, LATEST, COMMITTED, AT_TIME, AT_OFFSETS, ARCHIVED),
            COMMITTED,
            "where a new home begins to read",
        ),
        Option(STARTUP_HOME, str, None, "by 'archive': the home that writes an archive of the topic"),
        Option(HISTORY, str, None, "a table of the script with the past of the topic, which is read first"),
        Option(STARTUP_OFFSETS, read_offsets, None, "by 'specific-offsets': 'partition:0,offset:42;…'"),
        Option(
            STARTUP_TIME,
            whole_number,
            None,
            "by 'timestamp', or by 'archive' the event time whose hour comes first: milliseconds since 1970",
        ),
    ),
    Option(
        HISTORY_UNTIL,
        a_time,
        None,
        "the event time up to which rows are taken from 'scan.history', and from which on from the topic",
    ),
    Option(
        BOUNDED,
        one_of(UNBOUNDED, LATEST, COMMITTED, AT_TIME, AT_OFFSETS),
        UNBOUNDED,
        "where the topic ends; unbounded: never",
        decides=_bounded,
    ),
    *free(
        Option(BOUNDED_OFFSETS, read_offsets, None, "by 'specific-offsets': the first offsets that are not read"),
        Option(BOUNDED_TIME, whole_number, None, "by 'timestamp': milliseconds since 1970"),
        Option(DISCOVERY, parse_duration, 5 * MINUTE, "how often to look for new partitions and topics; 0: never"),
        Option(
            DATA_LOSS,
            one_of("fail", "skip"),
            "fail",
            "records that Kafka has removed before they were read; 'skip' names and counts them",
        ),
        Option(
            TOPIC_ID,
            one_of("check", "ignore"),
            "check",
            "whether a topic must be the one that was read before, by Kafka's id of it",
        ),
    ),
    Option("scan.parallelism", positive, None, "of the source", idle="Spark chooses the tasks of a batch"),
)
_LOOK = 200
"""ms: how often to ask for new records."""
_WRITING = (
    *(SINK_OPTIONS[f"{name}.encode.ignore-null-fields"] for name in ("json", *CHANGE_FORMATS)),
    *free(SINK_OPTIONS["sink.sample"]),
    Option("sink.partitioner", only("default", "Kafka chooses the partition by the key"), "default", "of the sink"),
    Option(
        "sink.delivery-guarantee",
        only("at-least-once", "Spark's writer has no transactions; headers say which results are repeated"),
        "at-least-once",
        "of the sink",
    ),
    Option("sink.transactional-id-prefix", str, None, "of the sink", idle="there are no transactions"),
    Option("sink.parallelism", positive, None, "of the sink", idle="Spark chooses the tasks of a batch"),
)
TOPIC_OPTIONS = {
    **named((*EVERY_SOURCE, *ARCHIVE_OPTIONS, *EVERY_SINK, *_PLACES, *_ROWS, *_POSITIONS, *_WRITING)),
    **named(free(Option(LIVE, parse_duration, _LOOK, "how often to ask for new records"))),
}
"""Of connector kafka."""
UPSERT_OPTIONS = {
    **TOPIC_OPTIONS,
    STARTUP: Option(STARTUP, only(EARLIEST, "every row of a key is needed"), EARLIEST, "where reading begins"),
}
"""Of connector upsert-kafka."""
_OPTIONS = {"kafka": TOPIC_OPTIONS, UPSERT: UPSERT_OPTIONS}


def kafka_option(table: Table, name: str) -> Any:
    """The value of an option, or its default."""
    return read_option(table.options, _OPTIONS[table.connector], name)


def topics(table: Table) -> list[str]:
    """The topics that the table names; none if it has a pattern of them."""
    return [one.strip() for one in table.options.get(TOPIC, "").split(";") if one.strip()]


def properties(table: Table) -> dict[str, str]:
    """The properties of Kafka's clients."""
    theirs = {name: text for name, text in table.options.items() if name.startswith(PROPERTIES) and name != COMMIT}
    given = {name.removeprefix(PROPERTIES): text for name, text in theirs.items()}
    level = given.get("isolation.level")
    return given if level is None else {**given, "isolation.level": level.lower()}


def key_prefix(table: Table) -> str:
    return str(kafka_option(table, KEY_PREFIX))


def key_columns(table: Table) -> list[str]:
    """The names of the columns that the keys of records have."""
    if table.connector == UPSERT:
        return list(table.primary_key)
    return [one.strip() for one in table.options.get(KEY_FIELDS, "").split(";") if one.strip()]


def key_part(table: Table) -> Table:
    """The keys as a table of their own, with the names of their fields."""
    prefix, keys = key_prefix(table), key_columns(table)
    by_name = {column.name: column for column in _written(table)}
    columns = tuple(replace(by_name[name], name=name.removeprefix(prefix)) for name in keys)
    return _part(table, "key.", columns)


def value_part(table: Table) -> Table:
    """The values as a table of their own."""
    left_out = {*key_columns(table)} if kafka_option(table, FIELDS_INCLUDE) == "except_key" else set()
    columns = tuple(column for column in _written(table) if column.name not in left_out)
    return _part(table, "value.", columns)


def parts(table: Table) -> dict[str, Table]:
    """The values, and the keys if they have columns, as tables of their own: by `value` and `key`."""
    return {"value": value_part(table), **({"key": key_part(table)} if key_columns(table) else {})}


def _written(table: Table) -> Iterator[Column]:
    """The columns of records. Those of a PRIMARY KEY are NOT NULL, as in Flink, which decides the bytes of avro."""
    for column in table.physical:
        yield replace(column, type=column.type.not_null()) if column.name in table.primary_key else column


def _part(table: Table, prefix: str, columns: tuple[Any, ...]) -> Table:
    own: Mapping[str, str] = {
        name.removeprefix(prefix): text for name, text in table.options.items() if name.startswith(prefix)
    }
    general = {name: text for name, text in table.options.items() if not name.startswith(("key.", "value."))}
    return replace(table, columns=columns, options={**general, **own})
