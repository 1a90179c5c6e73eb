"""Requests of `demo` and `prepare`, which commands alone make: what is known by name, and refused otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.demo.sinks import SINKS
from airflow_nrt.demo.sources import SOURCES
from airflow_nrt.usecases.requests import demo
from airflow_nrt.usecases.requests.demo import DemoRequest
from airflow_nrt.usecases.requests.prepare import PrepareRequest
from airflow_nrt.usecases.requests.query import QueryRequest, SqlText

SQL = SqlText("SELECT 1", "-e")


def test_a_demonstration_has_the_sources_and_sinks_that_can_be_asked_for() -> None:
    assert (tuple(SOURCES), tuple(SINKS)) == (demo.SOURCES, demo.SINKS)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: DemoRequest(source="kafak"), "--source is files or kafka, not 'kafak'; did you mean 'kafka'"),
        (lambda: DemoRequest(sink="kafka"), "--sink is files or postgres, not 'kafka'"),
        (lambda: PrepareRequest(("kafka", "icebreg")), "nothing is called 'icebreg'; did you mean 'iceberg'"),
        (lambda: QueryRequest(SQL, SQL, Path(), zone="Mars"), "--tz: "),
    ],
)
def test_what_has_no_meaning_is_refused_when_it_is_built(build: Any, message: str) -> None:
    with pytest.raises(InputError) as wrong:
        build()
    assert message in str(wrong.value)
