"""Connector `datagen`: made-up rows, by Flink's options (`fields.#.kind` and its kin).

A value is computed from the number of its row, so that the same rows are made again whenever they are read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.basics.errors import InputError, MissingError
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.basics.types import INTEGER_LIMITS
from airflow_nrt.model.connectors.connector import SourceOnly
from airflow_nrt.model.options.known import EVERY_SOURCE, read_option
from airflow_nrt.model.options.option import Option, free, named, one_of, parse_boolean, positive
from airflow_nrt.model.tables import Column, Table

RATE, ROWS, FIELDS = "rows-per-second", "number-of-rows", "fields."
RANDOM, SEQUENCE = "random", "sequence"
_LENGTH = 100
"""Flink's default length of texts and bytes."""


def _number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:
        raise ValueError(f"{text!r} is not a number") from None


def _share(text: str) -> float:
    if not 0 <= _number(text) <= 1:
        raise ValueError(f"{text!r} is no share from 0 to 1")
    return float(text)


def _row_count(text: str) -> int:
    if re.fullmatch(r"[1-9]\d{0,17}", text.strip()) is None:
        raise ValueError(f"{text!r} is not a whole number above 0")
    return int(text)


_OF_FIELDS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "kind": (one_of(RANDOM, SEQUENCE), "random values, or a sequence that ends"),
    "min": (_number, "of random numbers; default: the least of the type"),
    "max": (_number, "of random numbers; default: the greatest of the type"),
    "max-past": (parse_duration, "how far random timestamps lie before now; default: 0"),
    "length": (positive, "of random texts and bytes; default: 100, or the length of the type"),
    "var-len": (parse_boolean, "random texts and bytes have any length up to that"),
    "null-rate": (_share, "the share of NULLs; default: 0"),
    "start": (_number, "of a sequence"),
    "end": (_number, "of a sequence; the source ends with the first sequence that ends"),
}


@dataclass(frozen=True)
class Generated:
    """How the values of one column are made. Raises InputError where its options don't fit it."""

    column: Column
    options: Mapping[str, Any]

    def __post_init__(self) -> None:
        kind, name = self.column.type, self.column.name
        if kind.children or kind.name in ("MULTISET", "NULL", "INTERVAL"):
            raise MissingError(f"column {name!r}: values of {kind.flink} from datagen", "compute it from other columns")
        if self.is_sequence and not (kind.is_numeric or kind.is_string):
            raise InputError(f"column {name!r}: a sequence is of numbers or texts, here is {kind.flink}")
        if self.is_sequence and not {"start", "end"} <= {*self.options}:
            raise InputError(f"column {name!r}: a sequence needs '{FIELDS}{name}.start' and '{FIELDS}{name}.end'")
        low, high = ("start", "end") if self.is_sequence else ("min", "max")
        if low in self.options and high in self.options and self.options[low] > self.options[high]:
            raise InputError(f"column {name!r}: '{FIELDS}{name}.{low}' is above '{FIELDS}{name}.{high}'")

    @property
    def is_sequence(self) -> bool:
        return bool(self.options.get("kind") == SEQUENCE)

    @property
    def rows(self) -> int | None:
        """How many values there are, None if there is no end."""
        return int(self.options["end"] - self.options["start"]) + 1 if self.is_sequence else None

    @property
    def length(self) -> int:
        return int(self.options.get("length") or self.column.type.precision or _LENGTH)

    @property
    def bounds(self) -> tuple[Decimal, Decimal]:
        """The least and the greatest random number."""
        least, greatest = _limits(self.column)
        return self.options.get("min", least), self.options.get("max", greatest)


def _limits(column: Column) -> tuple[Decimal, Decimal]:
    kind = column.type
    if kind.is_integer:
        limit = INTEGER_LIMITS[kind.name]
        return Decimal(-limit - 1), Decimal(limit)
    if kind.name == "DECIMAL":
        limit = 10 ** (kind.digits - (kind.scale or 0)) - 1
        return Decimal(-limit), Decimal(limit)
    # Spreads over the whole range would all be about as large as the type allows.
    return Decimal(-(2**31)), Decimal(2**31)


class Datagen(SourceOnly):
    name = "datagen"
    options: ClassVar = named(
        (
            *EVERY_SOURCE,
            *free(Option(RATE, _row_count, 10_000, "how many rows come in a second, if the source has no end")),
            Option(ROWS, _row_count, None, "how many rows there are; default: no end"),
            Option("scan.parallelism", positive, None, "of the source", idle="Spark chooses the tasks of a batch"),
            Option(f"{FIELDS}*", str, None, f"how a column is made: {', '.join(_OF_FIELDS)}"),
        )
    )

    def check_source(self, table: Table) -> None:
        self.check_options(table)
        generated(table)

    def is_live(self, table: Table) -> bool:
        return rows_of(table) is None


def generated(table: Table) -> tuple[Generated, ...]:
    """How each column is made. Raises InputError for an option of a field that is unknown, or is no value."""
    given: dict[str, dict[str, Any]] = {column.name: {} for column in table.physical}
    for option, text in table.options.items():
        if not option.startswith(FIELDS):
            continue
        column, _, what = option.removeprefix(FIELDS).rpartition(".")
        where = f"table {table.name!r}: option {option!r}"
        if column not in given:
            raise InputError(f"{where}: there is no column {column!r}{nearest(column, given)}")
        if what not in _OF_FIELDS:
            raise InputError(f"{where}: a field has no {what!r}{nearest(what, _OF_FIELDS)}")
        try:
            given[column][what] = _OF_FIELDS[what][0](text)
        except ValueError as wrong:
            raise InputError(f"{where}: {wrong}") from None
    return tuple(Generated(column, given[column.name]) for column in table.physical)


def rows_of(table: Table) -> int | None:
    """How many rows the table has, None if it has no end."""
    ends = [one.rows for one in generated(table)] + [read_option(table.options, Datagen.options, ROWS)]
    return min((end for end in ends if end is not None), default=None)
