"""Rows that no table has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.sql.logical.node import Node


@dataclass(frozen=True, eq=False)
class Values(Node):
    """The rows of VALUES."""

    title: ClassVar[str] = "VALUES"


@dataclass(frozen=True, eq=False)
class OneRow(Node):
    """What a SELECT without FROM reads."""

    title: ClassVar[str] = "nothing"
