"""The statements of a script."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from airflow_nrt.basics.types import DataType
from airflow_nrt.functions import Declared
from airflow_nrt.sql.errors import Place
from airflow_nrt.sql.parse import ast


@dataclass(frozen=True)
class ColumnDefinition:
    """A column: a physical one has a type, a computed one an expression, a metadata column `metadata` (its key)."""

    name: str
    type: DataType | None
    expression: ast.Expression | None
    metadata: str | None
    at: Place = field(compare=False)


@dataclass(frozen=True)
class WatermarkDefinition:
    column: ast.Name
    expression: ast.Expression
    text: str
    at: Place = field(compare=False)


@dataclass(frozen=True)
class CreateTable:
    name: str
    columns: tuple[ColumnDefinition, ...]
    watermark: WatermarkDefinition | None
    primary_key: tuple[str, ...]
    partition_keys: tuple[str, ...]
    options: tuple[tuple[str, str, Place], ...]
    like: str | None
    if_not_exists: bool
    at: Place = field(compare=False)
    like_rules: tuple[tuple[str, str], ...] = ()
    """What LIKE does with each feature: `("EXCLUDING", "WATERMARKS")`."""


@dataclass(frozen=True)
class CreateFunction:
    """`CREATE FUNCTION name AS 'module.function' LANGUAGE PYTHON`."""

    name: str
    target: str
    if_not_exists: bool
    at: Place = field(compare=False)


@dataclass(frozen=True)
class DeclaredFunction:
    """A function that a program declares, and calls by a name. Its modules are in the directory `modules`."""

    name: str
    declared: Declared
    modules: Path
    at: Place = field(compare=False)


@dataclass(frozen=True)
class CreateView:
    """`CREATE VIEW`, which takes the place of an earlier one if it `replaces`."""

    name: str
    columns: tuple[str, ...]
    query: ast.Query
    if_not_exists: bool
    at: Place = field(compare=False)
    replaces: bool = False


@dataclass(frozen=True)
class Drop:
    """`DROP TABLE` or `DROP VIEW`: `kind` is `table` or `view`."""

    kind: str
    name: str
    if_exists: bool
    text: str
    at: Place = field(compare=False)


@dataclass(frozen=True)
class AlterTable:
    """`ALTER TABLE … SET (…)`, or `… RESET (…)` of the options `without`."""

    name: str
    options: tuple[tuple[str, str, Place], ...]
    without: tuple[str, ...]
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Insert:
    table: str
    columns: tuple[str, ...]
    query: ast.Query
    at: Place = field(compare=False)
    options: tuple[tuple[str, str], ...] = ()
    partition: tuple[tuple[str, ast.Expression], ...] = ()
    """The values of columns that PARTITION (…) gives."""
    overwrites: bool = False


@dataclass(frozen=True)
class SetOption:
    """`SET 'key' = 'value'`."""

    key: str
    value: str
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Ignored:
    """A statement around others that changes nothing: `BEGIN` and `END` of a statement set."""

    text: str
    at: Place = field(compare=False)


@dataclass(frozen=True)
class Idle:
    """A statement that has no effect here, and `why`.

    If it `takes_back` a `setting`, `table`, `view` or `function`, an earlier declaration of `name` (None: of any) is an
    error, because the statement would have an effect. `opens` and `enters` are the catalog or database that it creates,
    or uses.
    """

    text: str
    why: str
    at: Place = field(compare=False)
    takes_back: str | None = None
    name: str | None = None
    opens: str | None = None
    enters: str | None = None


@dataclass(frozen=True)
class Unreadable:
    """A table, view or function whose declaration can't be parsed. It is kept so that its name is not unknown."""

    name: str
    at: Place = field(compare=False)


Statement = Union[
    CreateTable, CreateFunction, DeclaredFunction, CreateView, Drop, AlterTable, Insert, SetOption, Ignored, Idle,
    Unreadable,
]  # fmt: skip
