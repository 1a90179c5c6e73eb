"""Kinds of columns of databases: which types of a report they give back as written, and which values fit.

SQL here is Spark's, over a row of a result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from airflow_nrt.basics.spelling import quote
from airflow_nrt.basics.types import INTEGER_DIGITS, INTEGER_LIMITS, DataType
from airflow_nrt.engine.sinks.jdbc.column_facts import ColumnFacts
from airflow_nrt.engine.sinks.jdbc.values_as_texts import text_sql
from airflow_nrt.model.tables import Column

UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
"""The pattern of a text that is a UUID."""
_FIRST_YEAR, _LAST_YEAR = 1, 9999
_LEAST_SINGLE, _GREATEST_SINGLE = "1.17549435E-38D", "3.4028235E38D"


class ColumnKind(ABC):
    rewrites_texts: ClassVar[bool] = False
    """Whether it takes texts, and writes them in its own way. Kinds that are not known do."""

    @abstractmethod
    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        """Whether values of a type of the report are read back as they were written, or as they are `seen`."""

    def fits(self, column: Column, facts: ColumnFacts) -> Iterator[tuple[str, str]]:
        """Predicates that are not false of values that fit, each with what it wants."""
        return iter(())

    def seen(self, column: Column, facts: ColumnFacts) -> str | None:
        """The value as a reader sees it, None if that is as it was written."""
        return None


@dataclass(frozen=True)
class Integers(ColumnKind):
    least: int
    greatest: int

    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        return kind.name == "BOOLEAN" or kind.is_integer or (kind.name == "DECIMAL" and not kind.scale)

    def fits(self, column: Column, facts: ColumnFacts) -> Iterator[tuple[str, str]]:
        """As `ColumnKind.fits`.

        >>> facts = ColumnFacts("smallint", None, None, 5, 0, None, False)
        >>> print(*Integers(-32768, 32767).fits(Column("n", DataType("BIGINT")), facts))
        ("`n` BETWEEN CAST('-32768' AS BIGINT) AND CAST('32767' AS BIGINT)", 'holds -32768 to 32767')
        """
        kind = column.type
        most = INTEGER_LIMITS.get(kind.name, 10**kind.digits - 1) if kind.is_numeric and not kind.is_approximate else 0
        if most > self.greatest or -most < self.least:
            # Types that the literals would have are not those of the column.
            type_of = "DECIMAL(38, 0)" if kind.name == "DECIMAL" else "BIGINT"
            ends = [max(min(one, most), -most) for one in (self.least, self.greatest)]
            first, last = (f"CAST('{one}' AS {type_of})" for one in ends)
            yield f"{quote(column.name)} BETWEEN {first} AND {last}", f"holds {self.least} to {self.greatest}"


class Decimals(ColumnKind):
    """Exact numbers, which round what has more fraction digits."""

    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        return kind.is_numeric or kind.name == "BOOLEAN"

    def fits(self, column: Column, facts: ColumnFacts) -> Iterator[tuple[str, str]]:
        """As `ColumnKind.fits`.

        >>> facts = ColumnFacts("numeric", None, None, 3, 2, None, False)
        >>> print(*Decimals().fits(Column("gmv", DataType("DECIMAL", 20, 4)), facts))
        ("abs(round(`gmv`, 2)) < CAST('1E1' AS DECIMAL(38, 0))", 'holds 1 digits before the point')
        """
        kind, name = column.type, quote(column.name)
        if facts.digits is None or not kind.is_numeric:
            return
        scale = facts.scale or 0
        room = facts.digits - scale
        wanted = f"holds {room} digits before the point"
        if kind.is_approximate:
            yield f"abs(CAST({name} AS DOUBLE)) < 1E{room}D - 5E-{scale + 1}D", wanted
            return
        digits, own = (INTEGER_DIGITS.get(kind.name, kind.digits), kind.scale or 0)
        if digits - own > room or (digits - own == room and own > scale):
            value = name if own <= scale else f"round({name}, {scale})"
            exact = value if kind.name == "DECIMAL" else f"CAST({value} AS DECIMAL(38, 0))"
            yield f"abs({exact}) < CAST('1E{room}' AS DECIMAL(38, 0))", wanted

    def seen(self, column: Column, facts: ColumnFacts) -> str | None:
        """As `ColumnKind.seen`.

        >>> facts = ColumnFacts("numeric", None, None, 3, 2, None, False)
        >>> print(Decimals().seen(Column("gmv", DataType("DECIMAL", 20, 4)), facts))
        CAST(round(`gmv`, 2) AS DECIMAL(20,4))
        """
        kind, name = column.type, quote(column.name)
        if facts.digits is None or not kind.is_numeric:
            return None
        scale = facts.scale or 0
        if kind.is_approximate:
            return f"CAST(CAST(CAST({name} AS STRING) AS DECIMAL(38, {scale})) AS {kind.spark})"
        return f"CAST(round({name}, {scale}) AS {kind.spark})" if (kind.scale or 0) > scale else None


@dataclass(frozen=True)
class Floats(ColumnKind):
    """Of 4 bytes if it `is_single`, else of 8. It `has_special` ones: NaN and the infinities."""

    is_single: bool
    has_special: bool

    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        return kind.is_approximate or (kind.is_integer and INTEGER_DIGITS[kind.name] <= (5 if self.is_single else 10))

    def fits(self, column: Column, facts: ColumnFacts) -> Iterator[tuple[str, str]]:
        """As `ColumnKind.fits`.

        >>> facts = ColumnFacts("double", None, None, 22, None, None, False)
        >>> print(*Floats(False, False).fits(Column("n", DataType("DOUBLE")), facts))
        ("NOT isnan(`n`) AND abs(`n`) < DOUBLE('Infinity')", 'holds neither NaN nor infinity')
        """
        kind, name = column.type, quote(column.name)
        if not kind.is_approximate:
            return
        if not self.has_special:
            yield f"NOT isnan({name}) AND abs({name}) < DOUBLE('Infinity')", "holds neither NaN nor infinity"
        if self.is_single and kind.name == "DOUBLE":
            special = f"isnan({name}) OR abs({name}) = DOUBLE('Infinity')"
            range_of = f"abs({name}) BETWEEN {_LEAST_SINGLE} AND {_GREATEST_SINGLE}"
            yield f"{name} = 0 OR {special} OR {range_of}", "holds the range of FLOAT"

    def seen(self, column: Column, facts: ColumnFacts) -> str | None:
        """As `ColumnKind.seen`.

        >>> facts = ColumnFacts("real", None, None, 24, None, None, False)
        >>> print(Floats(True, True).seen(Column("n", DataType("DOUBLE")), facts))
        CAST(CAST(`n` AS FLOAT) AS DOUBLE)
        """
        is_cut = self.is_single and column.type.name == "DOUBLE"
        return f"CAST(CAST({quote(column.name)} AS FLOAT) AS DOUBLE)" if is_cut else None


@dataclass(frozen=True)
class Texts(ColumnKind):
    """It `pads` if blanks at the end are not its own, and has `lower` letters if it writes them so."""

    pads: bool = False
    lower: bool = False
    pattern: str | None = None

    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        return not kind.is_bytes and (kind.is_string or self.pattern is None)

    def fits(self, column: Column, facts: ColumnFacts) -> Iterator[tuple[str, str]]:
        """As `ColumnKind.fits`.

        >>> facts = ColumnFacts("varchar", 10, None, None, None, None, False)
        >>> print(*Texts().fits(Column("n", DataType("INT")), facts))
        ('char_length(CAST(`n` AS STRING)) <= 10', 'holds 10 characters')
        """
        text = text_sql(column)
        if facts.length is not None:
            yield f"char_length({text}) <= {facts.length}", f"holds {facts.length} characters"
        if facts.size is not None:
            yield f"octet_length({text}) <= {facts.size}", f"holds {facts.size} bytes"
        if facts.character_set in ("utf8", "utf8mb3"):
            yield f"NOT {text} RLIKE '[\\\\x{{10000}}-\\\\x{{10FFFF}}]'", f"has characters of {facts.character_set}"
        if self.pattern is not None:
            yield f"{text} RLIKE '{self.pattern}'", f"holds values of type {facts.kind}"

    def seen(self, column: Column, facts: ColumnFacts) -> str | None:
        """As `ColumnKind.seen`.

        >>> facts = ColumnFacts("bpchar", 10, None, None, None, None, False)
        >>> print(Texts(pads=True).seen(Column("shop", DataType("STRING")), facts))
        rtrim(`shop`)
        """
        if not column.type.is_string or not (self.pads or self.lower):
            return None
        return f"rtrim({quote(column.name)})" if self.pads else f"lower({quote(column.name)})"


class Documents(ColumnKind):
    """JSON that the database writes in its own way."""

    rewrites_texts = True

    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        return bool(kind.children)


class Booleans(ColumnKind):
    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        return kind.name == "BOOLEAN"


class Bytes(ColumnKind):
    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        return kind.is_bytes

    def fits(self, column: Column, facts: ColumnFacts) -> Iterator[tuple[str, str]]:
        if facts.size is not None:
            yield f"octet_length({quote(column.name)}) <= {facts.size}", f"holds {facts.size} bytes"


class Dates(ColumnKind):
    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        return kind.name == "DATE"

    def fits(self, column: Column, facts: ColumnFacts) -> Iterator[tuple[str, str]]:
        """As `ColumnKind.fits`.

        >>> facts = ColumnFacts("date", None, None, None, None, 0, False)
        >>> print(*Dates().fits(Column("day", DataType("DATE")), facts))
        ('year(`day`) BETWEEN 1 AND 9999', 'holds the years 1 to 9999')
        """
        if column.type.name == "DATE" or column.type.is_timestamp:
            years = f"{_FIRST_YEAR} AND {_LAST_YEAR}"
            yield f"year({quote(column.name)}) BETWEEN {years}", f"holds the years {years.replace('AND', 'to')}"


class Times(ColumnKind):
    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        return kind.name == "TIME" and (facts.fraction or 0) >= min(kind.precision or 0, 3)


@dataclass(frozen=True)
class Timestamps(Dates):
    """From one time up to another one, as the database writes them, if it does not hold all years."""

    since: str | None = None
    until: str | None = None

    def gives_back(self, kind: DataType, facts: ColumnFacts) -> bool:
        digits = 6 if kind.precision is None else kind.precision
        return kind.name == "DATE" or (kind.is_timestamp and (facts.fraction or 0) >= digits)

    def fits(self, column: Column, facts: ColumnFacts) -> Iterator[tuple[str, str]]:
        if self.since is None:
            yield from super().fits(column, facts)
            return
        first, last = (f"CAST('{one}' AS {column.type.spark})" for one in (self.since, self.until))
        wanted = f"holds times from {self.since} to {self.until}"
        yield f"{quote(column.name)} >= {first} AND {quote(column.name)} < {last}", wanted
