"""The numbers of the schemas of keys and values, in format `avro-confluent`: a record begins with 0 and that number.

A schema is registered before the first entry, so that one that the registry refuses is known then. The number is put
before a record when it is published: results that are staged don't wait for a registry that is away.
"""

from __future__ import annotations

import json

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.failures.servers import UnreachableError
from airflow_nrt.engine.sources.avro_confluent.registry import registered
from airflow_nrt.model.connectors.avro_confluent import (
    AVRO_CONFLUENT,
    SUBJECT,
    option,
    registry_settings,
    written_schema,
)
from airflow_nrt.model.connectors.kafka_options import parts, topics
from airflow_nrt.model.tables import Table


def schema_numbers(sink: Table) -> dict[str, int]:
    """The numbers by `key` and `value`, of those that have one. Raises InputError and UnreachableError."""
    return {
        side: registered(
            registry_settings(part),
            option(part, SUBJECT) or f"{topics(sink)[0]}-{side}",
            json.dumps(written_schema(part)),
        )
        for side, part in parts(sink).items()
        if part.format == AVRO_CONFLUENT
    }


def published_numbers(sink: Table) -> dict[str, int]:
    """The same once an entry has decided: what the registry refuses now, it may take again. Raises UnreachableError."""
    try:
        return schema_numbers(sink)
    except InputError as refused:
        raise UnreachableError(str(refused)) from None


def with_number(column: str, number: int | None) -> str:
    """SQL of a key or a value with the number before it. NULL stays NULL.

    >>> print(with_number("value", 258))
    concat(X'0000000102', value) AS value
    """
    return column if number is None else f"concat(X'00{number:08X}', {column}) AS {column}"
