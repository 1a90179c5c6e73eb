"""Formats of changes as data: what they write is what they read, and each has its options."""

from __future__ import annotations

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.connectors.kafka_options import KEY_FORMATS, RECORD_FORMATS
from airflow_nrt.model.options.change_formats import CHANGE_FORMATS
from airflow_nrt.model.options.known import FILE_OPTIONS, check_options

FLINK = ("ignore-parse-errors", "timestamp-format.standard", "map-null-key.mode", "map-null-key.literal")
FLINK_WRITES = ("encode.ignore-null-fields", "encode.decimal-as-plain-number")


@pytest.mark.parametrize("name", CHANGE_FORMATS)
def test_a_record_has_its_row(name: str) -> None:
    form = CHANGE_FORMATS[name]
    record = form.added({"id": 1})
    assert form.is_added(record) and form.row_in(record) == {"id": 1}


@pytest.mark.parametrize("name", CHANGE_FORMATS)
def test_each_has_the_options_of_flink(name: str) -> None:
    assert {f"{name}.{option}" for option in (*FLINK, *FLINK_WRITES)} - {*FILE_OPTIONS} == set()


def test_what_is_included_is_a_regular_expression() -> None:
    with pytest.raises(InputError, match=r"'canal-json.table.include': '\(' is not a regular expression"):
        check_options({"canal-json.table.include": "("}, FILE_OPTIONS, "orders")


def test_a_key_is_no_change() -> None:
    assert {*RECORD_FORMATS} - {*KEY_FORMATS} == {*CHANGE_FORMATS}
