"""Connector `kafka`: topics, by the options of Flink's Kafka connector."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from airflow_nrt.basics.durations import MINUTE, parse_duration
from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.basics.types import BIGINT, INT, STRING, DataType
from airflow_nrt.model.connectors.connector import Metadata, SourceOnly
from airflow_nrt.model.options.known import (
    EVERY_SOURCE,
    FORMAT_OPTIONS,
    LIVE,
    READING_OPTIONS,
    read_option,
)
from airflow_nrt.model.options.option import Option, free, named, one_of, positive, whole_number
from airflow_nrt.model.tables import Table

TOPIC, BOOTSTRAP, GROUP, PROPERTIES = "topic", "properties.bootstrap.servers", "properties.group.id", "properties."
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
DISCOVERY, DATA_LOSS = "scan.topic-partition-discovery.interval", "scan.data-loss"
EARLIEST, LATEST, COMMITTED, AT_TIME, AT_OFFSETS, UNBOUNDED = (
    "earliest-offset",
    "latest-offset",
    "group-offsets",
    "timestamp",
    "specific-offsets",
    "unbounded",
)
KEY_FORMAT, VALUE_FORMAT, KEY_FIELDS, KEY_PREFIX = "key.format", "value.format", "key.fields", "key.fields-prefix"
FIELDS_INCLUDE = "value.fields-include"
RAW = "raw"
FORMATS = ("csv", "json", "debezium-json", RAW)
TIMESTAMP, KIND, PARTITION, OFFSET, HEADERS = (
    f"_nrt_{name}" for name in ("timestamp", "timestamp_type", "partition", "offset", "headers")
)
"""The columns of the reader that METADATA columns are computed from. `_nrt_topic` is one more."""
_TIME = DataType("TIMESTAMP_LTZ", precision=3, nullable=False)
_PLAIN = STRING.with_nullable(False)
_HEADERS = DataType("MAP", nullable=False, children=(("key", _PLAIN), ("value", DataType("BYTES", nullable=False))))
_LAST_OF_A_KEY = (
    f"map_from_entries(filter({HEADERS}, (one, n) -> NOT exists(slice({HEADERS}, n + 2, size({HEADERS})), "
    "other -> other.key = one.key)))"
)
_KINDS = f"element_at(array('NoTimestampType', 'CreateTime', 'LogAppendTime'), {KIND} + 2)"


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


def _is_headers(kind: DataType) -> bool:
    return kind.name == "MAP" and kind.children[0][1].is_string and kind.children[1][1].is_bytes


def _bounded(text: str) -> str | None:
    """Whether a topic has an end decides results; where it is does not."""
    return None if text.lower() == UNBOUNDED else "set"


def _prefixed(prefix: str) -> tuple[Option, ...]:
    return tuple(replace(option, name=f"{prefix}{option.name}") for option in (*FORMAT_OPTIONS, *READING_OPTIONS))


_PLACES = (
    Option(TOPIC, str, None, "the topic; several are separated by ';'"),
    *free(
        Option(BOOTSTRAP, str, None, "the brokers, as 'host:9092,other:9092'"),
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
    Option("format", one_of(*FORMATS), None, "how the value of a record is written"),
    Option(VALUE_FORMAT, one_of(*FORMATS), None, "the same, where keys have a format, too"),
    Option(KEY_FORMAT, one_of("csv", "json", RAW), None, "how the key of a record is written"),
    Option(KEY_FIELDS, str, None, "the columns of the key, separated by ';'"),
    Option(KEY_PREFIX, str, "", "what the names of these columns begin with, and the fields of the key don't"),
    Option(FIELDS_INCLUDE, one_of("all", "except_key"), "all", "whether the value has the columns of the key, too"),
    *FORMAT_OPTIONS,
    *READING_OPTIONS,
    *_prefixed("value."),
    *_prefixed("key."),
)
_POSITIONS = (
    *free(
        Option(
            STARTUP,
            one_of(EARLIEST, LATEST, COMMITTED, AT_TIME, AT_OFFSETS),
            COMMITTED,
            "where a new home begins to read",
        ),
        Option(STARTUP_OFFSETS, read_offsets, None, "by 'specific-offsets': 'partition:0,offset:42;…'"),
        Option(STARTUP_TIME, whole_number, None, "by 'timestamp': milliseconds since 1970"),
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
        Option(DISCOVERY, parse_duration, 5 * MINUTE, "how often to look for new partitions; 0: never"),
        Option(
            DATA_LOSS,
            one_of("fail", "skip"),
            "fail",
            "records that Kafka has removed before they were read; 'skip' names and counts them",
        ),
    ),
    Option("scan.parallelism", positive, None, "of the source", idle="Spark chooses the tasks of a batch"),
)
_LOOK = 200
"""ms: how often to ask for new records."""


class Kafka(SourceOnly):
    name = "kafka"
    arrival = "timestamp"
    options: ClassVar = {
        **named((*EVERY_SOURCE, *_PLACES, *_ROWS, *_POSITIONS)),
        **named(free(Option(LIVE, parse_duration, _LOOK, "how often to ask for new records"))),
    }
    metadata: ClassVar = {
        "topic": Metadata("_nrt_topic", _PLAIN, lambda kind: kind.is_string),
        "partition": Metadata(PARTITION, INT.with_nullable(False), lambda kind: kind.name in ("INT", "BIGINT")),
        "offset": Metadata(OFFSET, BIGINT.with_nullable(False), lambda kind: kind.name == "BIGINT"),
        "timestamp": Metadata(
            TIMESTAMP, _TIME, lambda kind: kind.name == "TIMESTAMP_LTZ" and (kind.precision or 6) == 3
        ),
        "timestamp-type": Metadata(_KINDS, _PLAIN, lambda kind: kind.is_string),
        "headers": Metadata(_LAST_OF_A_KEY, _HEADERS, _is_headers),
    }

    def check_source(self, table: Table) -> None:
        self.check_options(table)
        where = f"table {table.name!r}"
        for name in (TOPIC, BOOTSTRAP):
            if not table.options.get(name):
                raise InputError(f"{where} needs the option '{name}'")
        if not table.format:
            raise InputError(f"{where} needs the option 'format'")
        if "format" in table.options and VALUE_FORMAT in table.options:
            raise InputError(f"{where}: 'format' and '{VALUE_FORMAT}' are the same option: leave one out")
        self._check_positions(table)
        self._check_columns(table)

    def _check_positions(self, table: Table) -> None:
        where = f"table {table.name!r}"
        needs = {
            (STARTUP, AT_OFFSETS): STARTUP_OFFSETS,
            (STARTUP, AT_TIME): STARTUP_TIME,
            (BOUNDED, AT_OFFSETS): BOUNDED_OFFSETS,
            (BOUNDED, AT_TIME): BOUNDED_TIME,
            (STARTUP, COMMITTED): GROUP,
            (BOUNDED, COMMITTED): GROUP,
        }
        for (option, mode), needed in needs.items():
            if kafka_option(table, option) == mode and needed not in table.options:
                said = "" if option in table.options else ", which is the default as in Flink,"
                other = f", or '{STARTUP}' = '{EARLIEST}'" if option == STARTUP else ""
                raise InputError(f"{where}: '{option}' = '{mode}'{said} needs '{needed}': write it{other}")
        if len(topics(table)) > 1 and {STARTUP_OFFSETS, BOUNDED_OFFSETS} & {*table.options}:
            raise InputError(f"{where}: specific offsets are of one topic, here are {len(topics(table))}")

    def _check_columns(self, table: Table) -> None:
        where = f"table {table.name!r}"
        keys = key_columns(table)
        unknown = next((name for name in keys if name not in {column.name for column in table.physical}), None)
        if unknown is not None:
            raise InputError(f"{where}: '{KEY_FIELDS}': there is no column {unknown!r}")
        if (KEY_FORMAT in table.options) != (KEY_FIELDS in table.options):
            raise InputError(f"{where}: '{KEY_FORMAT}' and '{KEY_FIELDS}' need each other")
        bare = next((name for name in keys if not name.startswith(key_prefix(table))), None)
        if bare is not None:
            raise InputError(f"{where}: column {bare!r} of the key does not begin with '{KEY_PREFIX}'")
        for part in (value_part(table), *([key_part(table)] if keys else [])):
            _check_format(part)

    def leniency(self, table: Table) -> str | None:
        option = super().leniency(table)
        return f"value.{option}" if option is not None and VALUE_FORMAT in table.options else option

    def jars(self, table: Table) -> str:
        return "kafka"

    def place(self, table: Table) -> str:
        return f"topic {', '.join(topics(table))} of {table.options[BOOTSTRAP]}"

    def is_live(self, table: Table) -> bool:
        return bool(kafka_option(table, BOUNDED) == UNBOUNDED)


def _check_format(part: Table) -> None:
    nested = next((column for column in part.columns if column.type.children), None)
    if nested is not None and part.format == "csv":
        raise MissingError(f"table {part.name!r}: column {nested.name!r}: {nested.type.name} in csv", "use json")
    if part.format != RAW:
        return
    if len(part.columns) != 1:
        raise InputError(f"table {part.name!r}: format 'raw' is of one column, here are {len(part.columns)}")
    (column,) = part.columns
    if not (column.type.is_string or column.type.is_bytes):
        raise MissingError(
            f"table {part.name!r}: column {column.name!r}: {column.type.flink} in format 'raw'", "use STRING or BYTES"
        )


def kafka_option(table: Table, name: str) -> Any:
    """The value of an option, or its default."""
    return read_option(table.options, Kafka.options, name)


def topics(table: Table) -> list[str]:
    return [one.strip() for one in table.options[TOPIC].split(";") if one.strip()]


def properties(table: Table) -> dict[str, str]:
    """The properties of Kafka's clients."""
    return {name.removeprefix(PROPERTIES): text for name, text in table.options.items() if name.startswith(PROPERTIES)}


def key_prefix(table: Table) -> str:
    return str(kafka_option(table, KEY_PREFIX))


def key_columns(table: Table) -> list[str]:
    """The names of the columns that the keys of records have."""
    return [one.strip() for one in table.options.get(KEY_FIELDS, "").split(";") if one.strip()]


def key_part(table: Table) -> Table:
    """The keys as a table of their own, with the names of their fields."""
    prefix, keys = key_prefix(table), key_columns(table)
    by_name = {column.name: column for column in table.physical}
    columns = tuple(replace(by_name[name], name=name.removeprefix(prefix)) for name in keys)
    return _part(table, "key.", columns)


def value_part(table: Table) -> Table:
    """The values as a table of their own."""
    left_out = {*key_columns(table)} if kafka_option(table, FIELDS_INCLUDE) == "except_key" else set()
    columns = tuple(column for column in table.physical if column.name not in left_out)
    return _part(table, "value.", columns)


def _part(table: Table, prefix: str, columns: tuple[Any, ...]) -> Table:
    own: Mapping[str, str] = {
        name.removeprefix(prefix): text for name, text in table.options.items() if name.startswith(prefix)
    }
    general = {name: text for name, text in table.options.items() if not name.startswith(("key.", "value."))}
    return replace(table, columns=columns, options={**general, **own})
