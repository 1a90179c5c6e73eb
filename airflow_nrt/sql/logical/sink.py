"""Where the rows of a query go."""

from __future__ import annotations

from dataclasses import dataclass

from airflow_nrt.sql.logical.node import OneInput


@dataclass(frozen=True, eq=False)
class Sink(OneInput):
    """INSERT INTO a table: the root of a tree."""

    table: str
