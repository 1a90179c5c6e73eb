"""SQL types: Flink's names and rules, with their spelling in Spark.

`TIMESTAMP(p)` has no zone (Spark: `TIMESTAMP_NTZ`), `TIMESTAMP_LTZ(p)` is an instant (Spark: `TIMESTAMP`), `TIME(p)`
is an INT (`times_of_day.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from airflow_nrt.basics.metadata import METADATA

INTEGERS = ("TINYINT", "SMALLINT", "INT", "BIGINT")
APPROXIMATE = ("FLOAT", "DOUBLE")
MAX_PRECISION = 38
MAX_LENGTH = 2**31 - 1
"""VARCHAR of this length is STRING, VARBINARY is BYTES."""

INTEGER_LIMITS = {
    "TINYINT": 2**7 - 1,
    "SMALLINT": 2**15 - 1,
    "INT": 2**31 - 1,
    "BIGINT": 2**63 - 1,
}
INTEGER_DIGITS = {"TINYINT": 3, "SMALLINT": 5, "INT": 10, "BIGINT": 19}
LONG_DIGITS = 18

_SPARK_NAMES = {
    "STRING": "STRING",
    "BYTES": "BINARY",
    "VARBINARY": "BINARY",
    "TIMESTAMP": "TIMESTAMP_NTZ",
    "TIMESTAMP_LTZ": "TIMESTAMP",
    "INTERVAL": "INTERVAL DAY TO SECOND",
    "NULL": "VOID",
}
_OF_LENGTHS = ("CHAR", "VARCHAR", "BINARY", "VARBINARY")


@dataclass(frozen=True)
class DataType:
    """One SQL type.

    `precision` is the number of digits of DECIMAL, the fraction digits of TIMESTAMP and TIME, the length of
    CHAR, VARCHAR, BINARY and VARBINARY.
    `children` are the fields of ROW, `("key", …), ("value", …)` of MAP, `("element", …)` of ARRAY.
    """

    name: str
    precision: int | None = None
    scale: int | None = None
    nullable: bool = True
    children: tuple[tuple[str, DataType], ...] = ()

    @property
    def is_integer(self) -> bool:
        return self.name in INTEGERS

    @property
    def is_numeric(self) -> bool:
        return self.name in INTEGERS or self.name in APPROXIMATE or self.name == "DECIMAL"

    @property
    def is_string(self) -> bool:
        return self.name in ("STRING", "VARCHAR", "CHAR")

    @property
    def is_bytes(self) -> bool:
        return self.name in ("BYTES", "VARBINARY", "BINARY")

    @property
    def is_timestamp(self) -> bool:
        return self.name in ("TIMESTAMP", "TIMESTAMP_LTZ")

    @property
    def has_fraction_of_second(self) -> bool:
        return self.is_timestamp or self.name == "TIME"

    @property
    def is_approximate(self) -> bool:
        return self.name in APPROXIMATE

    @property
    def digits(self) -> int:
        """Decimal digits of an exact number's integer and fraction part together."""
        if self.name == "DECIMAL":
            return self.precision or 10
        return INTEGER_DIGITS[self.name]

    @property
    def is_whole(self) -> bool:
        """Whether its values without their decimal point fit BIGINT: integers, and decimals of up to 18 digits."""
        return self.is_integer or (self.name == "DECIMAL" and self.digits <= LONG_DIGITS)

    def holds(self, *names: str) -> bool:
        """Whether it is one of these kinds, or contains one."""
        return self.name in names or any(child.holds(*names) for _, child in self.children)

    def with_nullable(self, nullable: bool) -> DataType:
        return replace(self, nullable=nullable)

    def not_null(self) -> DataType:
        return self.with_nullable(False)

    def __str__(self) -> str:
        """Flink's spelling, as in `DESCRIBE`."""
        return self.flink if self.nullable else f"{self.flink} NOT NULL"

    @property
    def flink(self) -> str:
        if self.name == "DECIMAL":
            return f"DECIMAL({self.precision}, {self.scale})"
        if (self.has_fraction_of_second or self.name in _OF_LENGTHS) and self.precision is not None:
            return f"{self.name}({self.precision})"
        if self.name == "ARRAY":
            return f"ARRAY<{self.children[0][1]}>"
        if self.name == "MAP":
            return f"MAP<{self.children[0][1]}, {self.children[1][1]}>"
        if self.name == "ROW":
            return f"ROW<{', '.join(f'`{name}` {kind}' for name, kind in self.children)}>"
        return self.name

    @property
    def spark(self) -> str:
        if self.name == "DECIMAL":
            return f"DECIMAL({self.precision},{self.scale})"
        if self.is_string:
            return "STRING"
        if self.name == "ARRAY":
            return f"ARRAY<{self.children[0][1].spark}>"
        if self.name == "MAP":
            return f"MAP<{self.children[0][1].spark},{self.children[1][1].spark}>"
        if self.name == "ROW":
            return f"STRUCT<{','.join(f'`{name}`:{kind.spark}' for name, kind in self.children)}>"
        if self.name == "TIME":
            # SQL's TIME has at most three digits; one with six is Spark's own.
            return "INT" if (self.precision or 0) <= 3 else f"TIME({self.precision})"
        return _SPARK_NAMES.get(self.name, self.name)


BOOLEAN = DataType("BOOLEAN")
INT = DataType("INT")
BIGINT = DataType("BIGINT")
DOUBLE = DataType("DOUBLE")
STRING = DataType("STRING")
DATE = DataType("DATE")
NULL = DataType("NULL")
TIME3 = DataType("TIME", precision=3)
TIMESTAMP3 = DataType("TIMESTAMP", precision=3)
POSITION_TYPE = DataType("ROW", children=tuple((name, DataType("BIGINT")) for name in ("file", "block", "row")))
"""Where a row stood on arrival."""


def decimal(precision: int, scale: int, *, nullable: bool = True) -> DataType:
    return DataType("DECIMAL", precision=precision, scale=scale, nullable=nullable)


def multiset(element: DataType) -> DataType:
    """Flink's MULTISET, here a map from each value to its count."""
    return DataType("MAP", children=(("key", element), ("value", INT.with_nullable(False))))


@dataclass(frozen=True)
class Field:
    """A named column of a relation."""

    name: str = field(metadata=METADATA)
    type: DataType
