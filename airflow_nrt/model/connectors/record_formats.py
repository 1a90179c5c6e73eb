"""The formats of keys and values of records: which columns each can have, and what Spark needs for it."""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.model.connectors.avro import AVRO, check_avro
from airflow_nrt.model.connectors.avro_confluent import AVRO_CONFLUENT, check_avro_confluent, written_schema
from airflow_nrt.model.connectors.csv import check_csv, check_written_csv
from airflow_nrt.model.connectors.raw import RAW, check_record, is_text
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.option import one_of
from airflow_nrt.model.tables import Table


class RecordFormat:
    """A value of the options 'key.format' and 'value.format'."""

    jars: tuple[str, ...] = ()
    """What Spark needs for it, by the names of `basics/jars.py`."""

    def check(self, part: Table) -> None:
        """Raises InputError if the columns of a key or a value can't be read so."""
        return

    def check_written(self, part: Table) -> None:
        """Raises InputError if the columns of a key or a value, of which `check` is content, can't be written so."""
        return

    def may_be_malformed(self, part: Table) -> bool:
        """Whether there are bytes that are no key or value."""
        return True


class _Csv(RecordFormat):
    def check(self, part: Table) -> None:
        check_csv(part)

    def check_written(self, part: Table) -> None:
        check_written_csv(part)


class _Raw(RecordFormat):
    def check(self, part: Table) -> None:
        check_record(part)

    def may_be_malformed(self, part: Table) -> bool:
        return not is_text(part.columns[0].type)


class _Avro(RecordFormat):
    jars = ("avro",)

    def check(self, part: Table) -> None:
        check_avro(part)


class _AvroConfluent(RecordFormat):
    jars = ("avro",)

    def check(self, part: Table) -> None:
        check_avro_confluent(part)

    def check_written(self, part: Table) -> None:
        written_schema(part)


RECORD_FORMATS: dict[str, RecordFormat] = {
    "csv": _Csv(),
    "json": RecordFormat(),
    **dict.fromkeys(CHANGE_FORMATS, RecordFormat()),
    RAW: _Raw(),
    AVRO: _Avro(),
    AVRO_CONFLUENT: _AvroConfluent(),
}
_ANSWERS = {
    "debezium-avro-confluent": "a changelog comes as 'debezium-json', and rows of Avro as 'avro-confluent'",
}
"""What to do instead of other formats of Flink."""
KEY_FORMATS = tuple(name for name in RECORD_FORMATS if name not in CHANGE_FORMATS)


def format_of(part: Table) -> RecordFormat:
    return RECORD_FORMATS[part.format]


def format_name(*names: str) -> Callable[[str], str]:
    """The reader of an option with one of these formats."""
    known = one_of(*names)

    def read(text: str) -> str:
        if text.lower() in _ANSWERS:
            raise ValueError(f"{text!r} is not there: {_ANSWERS[text.lower()]}")
        return known(text)

    return read
