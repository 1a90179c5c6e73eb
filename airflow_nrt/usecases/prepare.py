"""Prepares an installation: the class archive with which drivers start faster, and the jars of connectors."""

from __future__ import annotations

from collections.abc import Callable

from airflow_nrt.basics.jars import JARS, fetched
from airflow_nrt.engine.class_archive import made_archive
from airflow_nrt.engine.java.fetch_jars import fetch_jars
from airflow_nrt.usecases.requests.prepare import PrepareRequest, PrepareResult


def prepare(request: PrepareRequest, say: Callable[[str], None]) -> PrepareResult:
    """What is there already stays as it is.

    Raises InputError if there is no Java, if the environment is not writable, and for a jar that can't be had.
    """
    archive = made_archive(say)
    fetch_jars([jar for name in request.names for jar in JARS[name]], request.repository, say)
    return PrepareResult(archive, {name: tuple(fetched(name)) for name in request.names})
