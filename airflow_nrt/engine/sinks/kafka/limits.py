"""How long a record may be: what the producer sends, and what the topic takes."""

from __future__ import annotations

from airflow_nrt.basics.spelling import quote
from airflow_nrt.engine.sinks.held_rows import EVERY_ROW, HeldRows, Limit
from airflow_nrt.engine.sinks.kafka.records import key_of, value_of
from airflow_nrt.model.connectors.kafka_options import properties, topics
from airflow_nrt.model.plan import Insert

_REQUEST = "max.request.size"
_PRODUCERS = 1_048_576
"""Bytes that a producer sends at once, by default."""
_BESIDE = 1024
"""Bytes of a record beside its key and its value: headers, lengths, the head of a batch of one."""
_PER_BYTE, _PER_COLUMN = 12, 100
"""The most bytes of a byte of a text, which may be escaped and stand in the key, too; and of anything else of a
column."""


def held_records(insert: Insert, most: int) -> HeldRows:
    """The rows whose records have no more bytes than the producer sends, and the topic takes (`most`).

    What is compressed is measured by the producer before, and by the broker after that.
    """
    given = properties(insert.sink)
    sent = int(given.get(_REQUEST, _PRODUCERS))
    is_plain = given.get("compression.type", "none") == "none"
    room = (min(sent, most) if is_plain else sent) - _BESIDE
    columns = insert.sink.physical
    long = [one for one in columns if one.type.is_string or one.type.is_bytes]
    fixed = sum(_PER_COLUMN + 2 * len(one.name) for one in columns)
    if not long and not any(one.type.children for one in columns) and fixed <= room:
        return EVERY_ROW
    fits = _length(insert, room)
    if not any(one.type.children for one in columns):
        # Most rows are short, and are not written twice only to be measured.
        texts = " + ".join(f"coalesce(octet_length({quote(one.name)}), 0)" for one in long)
        fits = f"{_PER_BYTE} * ({texts or '0'}) <= {max(room - fixed, 0)} OR {fits}"
    place = f"topic {topics(insert.sink)[0]}"
    return HeldRows((Limit(fits, f"a record of {place} holds {room} bytes of key and value"),))


def _length(insert: Insert, room: int) -> str:
    """SQL predicate of a record.

    coalesce(octet_length(to_json(…)), 0) + coalesce(octet_length(to_json(…)), 0) <= 1047552
    """
    parts = (f"coalesce(octet_length({one}), 0)" for one in (key_of(insert), value_of(insert.sink, False)))
    return f"{' + '.join(parts)} <= {room}"
