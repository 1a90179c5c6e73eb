"""Connectors `kafka` and `upsert-kafka`: topics, by the options of Flink's connectors."""

from __future__ import annotations

from typing import ClassVar

from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.basics.types import BIGINT, INT, STRING, DataType
from airflow_nrt.model.connectors.connector import Connector, Metadata
from airflow_nrt.model.connectors.kafka_options import (
    ARCHIVED,
    AT_OFFSETS,
    AT_TIME,
    BOOTSTRAP,
    BOUNDED,
    BOUNDED_OFFSETS,
    BOUNDED_TIME,
    COMMITTED,
    EARLIEST,
    FIELDS_INCLUDE,
    GROUP,
    HISTORY,
    HISTORY_UNTIL,
    KEY_FIELDS,
    KEY_FORMAT,
    KEY_PREFIX,
    STARTUP,
    STARTUP_HOME,
    STARTUP_OFFSETS,
    STARTUP_TIME,
    TOPIC,
    TOPIC_OPTIONS,
    TOPIC_PATTERN,
    UNBOUNDED,
    UPSERT_OPTIONS,
    VALUE_FORMAT,
    kafka_option,
    key_columns,
    key_prefix,
    parts,
    topics,
    value_part,
)
from airflow_nrt.model.connectors.record_formats import format_of
from airflow_nrt.model.datasets import DatasetName, of_topic
from airflow_nrt.model.tables import Table

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


def _is_headers(kind: DataType) -> bool:
    return kind.name == "MAP" and kind.children[0][1].is_string and kind.children[1][1].is_bytes


class Kafka(Connector):
    name = "kafka"
    arrival = "timestamp"
    keeps_rows = False
    paths = (STARTUP_HOME,)
    options: ClassVar = TOPIC_OPTIONS
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
        self._check(table)
        self._check_positions(table)

    def check_sink(self, table: Table) -> None:
        self._check(table)
        if TOPIC_PATTERN in table.options:
            raise InputError(f"table {table.name!r}: a sink writes into one topic: name it by '{TOPIC}'")
        if len(topics(table)) > 1:
            raise InputError(f"table {table.name!r}: a sink writes into one topic, here are {len(topics(table))}")
        for part in parts(table).values():
            format_of(part).check_written(part)

    def _check(self, table: Table) -> None:
        self.check_options(table)
        where = f"table {table.name!r}"
        if not (table.options.get(TOPIC) or table.options.get(TOPIC_PATTERN)):
            raise InputError(f"{where} needs the option '{TOPIC}' or '{TOPIC_PATTERN}'")
        if TOPIC in table.options and TOPIC_PATTERN in table.options:
            raise InputError(f"{where}: '{TOPIC}' and '{TOPIC_PATTERN}' exclude each other: leave one out")
        if not table.options.get(BOOTSTRAP):
            raise InputError(f"{where} needs the option '{BOOTSTRAP}'")
        if not table.format:
            raise InputError(f"{where} needs the option 'format'")
        if "format" in table.options and VALUE_FORMAT in table.options:
            raise InputError(f"{where}: 'format' and '{VALUE_FORMAT}' are the same option: leave one out")
        self._check_columns(table)

    def _check_positions(self, table: Table) -> None:
        where = f"table {table.name!r}"
        needs = {
            (STARTUP, AT_OFFSETS): STARTUP_OFFSETS,
            (STARTUP, AT_TIME): STARTUP_TIME,
            (BOUNDED, AT_OFFSETS): BOUNDED_OFFSETS,
            (BOUNDED, AT_TIME): BOUNDED_TIME,
            (STARTUP, COMMITTED): GROUP,
            (STARTUP, ARCHIVED): STARTUP_HOME,
            (BOUNDED, COMMITTED): GROUP,
        }
        if HISTORY in table.options and HISTORY_UNTIL not in table.options:
            # The archive says where reading begins.
            del needs[STARTUP, COMMITTED]
        for (option, mode), needed in needs.items():
            if kafka_option(table, option) == mode and needed not in table.options:
                said = "" if option in table.options else ", which is the default as in Flink,"
                other = f", or '{STARTUP}' = '{EARLIEST}'" if option == STARTUP else ""
                raise InputError(f"{where}: '{option}' = '{mode}'{said} needs '{needed}': write it{other}")
        if HISTORY_UNTIL in table.options and HISTORY not in table.options:
            raise InputError(f"{where}: '{HISTORY_UNTIL}' needs '{HISTORY}', the table with the rows until then")
        if kafka_option(table, STARTUP) == ARCHIVED and table.is_changelog:
            raise MissingError(f"{where}: '{STARTUP}' = '{ARCHIVED}' of rows that change", "begin with the topic")
        if len(topics(table)) != 1 and {STARTUP_OFFSETS, BOUNDED_OFFSETS} & {*table.options}:
            raise InputError(f"{where}: specific offsets are of one topic, here are {len(topics(table)) or 'any'}")

    def _check_columns(self, table: Table) -> None:
        where = f"table {table.name!r}"
        keys = key_columns(table)
        unknown = next((name for name in keys if name not in {column.name for column in table.physical}), None)
        if unknown is not None:
            raise InputError(f"{where}: '{KEY_FIELDS}': there is no column {unknown!r}")
        if (KEY_FORMAT in table.options) != bool(keys):
            raise InputError(f"{where}: '{KEY_FORMAT}' and '{KEY_FIELDS}' need each other")
        if key_prefix(table) and kafka_option(table, FIELDS_INCLUDE) != "except_key":
            raise InputError(f"{where}: '{KEY_PREFIX}' needs '{FIELDS_INCLUDE}' = 'EXCEPT_KEY', as in Flink")
        bare = next((name for name in keys if not name.startswith(key_prefix(table))), None)
        if bare is not None:
            raise InputError(f"{where}: column {bare!r} of the key does not begin with '{KEY_PREFIX}'")
        for part in parts(table).values():
            format_of(part).check(part)

    def takes_changes_as_such(self, table: Table) -> bool:
        return table.is_changelog

    def datasets(self, table: Table) -> tuple[DatasetName, ...]:
        """None of a pattern: only brokers know its topics."""
        return tuple(of_topic(table.options[BOOTSTRAP], topic) for topic in topics(table))

    def leniency(self, table: Table) -> str | None:
        option, value = super().leniency(table), value_part(table)
        if option is not None and format_of(value).may_be_malformed(value):
            return f"value.{option}" if VALUE_FORMAT in table.options else option
        # The key may be malformed.
        option = f"key.{table.options.get(KEY_FORMAT, '').lower()}.ignore-parse-errors"
        return option if option in self.options else None

    def jars(self, table: Table) -> tuple[str, ...]:
        return ("kafka", *(name for part in parts(table).values() for name in format_of(part).jars))

    def place(self, table: Table) -> str:
        named = ", ".join(topics(table)) or f"pattern {table.options[TOPIC_PATTERN]}"
        return f"topic {named} of {table.options[BOOTSTRAP]}"

    def stays_malformed(self, table: Table) -> bool:
        """A registry may come to know a schema."""
        return all(part.format != "avro-confluent" for part in parts(table).values())

    def is_live(self, table: Table) -> bool:
        return bool(kafka_option(table, BOUNDED) == UNBOUNDED)


class UpsertKafka(Kafka):
    """A topic whose records replace those with the same key; a record without a value retracts it."""

    name = "upsert-kafka"
    options: ClassVar = UPSERT_OPTIONS
    has_upserts = True

    def check_source(self, table: Table) -> None:
        self._check_keys(table)
        super().check_source(table)

    def check_sink(self, table: Table) -> None:
        self._check_keys(table)
        super().check_sink(table)

    def _check_keys(self, table: Table) -> None:
        if not table.primary_key:
            raise InputError(f"table {table.name!r}: connector 'upsert-kafka' needs a PRIMARY KEY … NOT ENFORCED")
        for name in (KEY_FORMAT, VALUE_FORMAT):
            if name not in table.options:
                raise InputError(f"table {table.name!r} needs the option '{name}'")
        for name in (KEY_FIELDS, "format"):
            if name in table.options:
                raise InputError(f"table {table.name!r}: '{name}' is not of connector 'upsert-kafka': leave it out")
        if table.change_format is not None:
            raise InputError(f"table {table.name!r}: '{VALUE_FORMAT}' can't be a changelog: a record replaces another")

    def takes_changes_as_such(self, table: Table) -> bool:
        return True
