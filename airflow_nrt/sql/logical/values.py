"""Constant rows."""

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
    """The FROM of a SELECT that has none."""

    title: ClassVar[str] = "nothing"
