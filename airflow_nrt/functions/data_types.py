"""DataTypes: SQL types as PyFlink spells them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from airflow_nrt.basics.times_of_day import DIGITS
from airflow_nrt.basics.types import MAX_LENGTH, MAX_PRECISION, DataType, Field, decimal, multiset


def _plain(name: str, nullable: bool) -> DataType:
    return DataType(name, nullable=nullable)


def _checked(inner: Any) -> DataType:
    """Raises ValueError if it is no type."""
    if not isinstance(inner, DataType):
        raise ValueError(f"a type is needed inside, such as DataTypes.INT(), not {inner!r}")
    return inner


def _sized(name: str, size: int, nullable: bool) -> DataType:
    if not isinstance(size, int):
        raise ValueError(f"{name} takes a whole number, not {size!r}")
    return DataType(name, precision=size, nullable=nullable)


class DataTypes:
    """`DataTypes.ROW([DataTypes.FIELD("n", DataTypes.BIGINT())])`. Raises ValueError for a wrong type."""

    @staticmethod
    def BOOLEAN(nullable: bool = True) -> DataType:
        return _plain("BOOLEAN", nullable)

    @staticmethod
    def TINYINT(nullable: bool = True) -> DataType:
        return _plain("TINYINT", nullable)

    @staticmethod
    def SMALLINT(nullable: bool = True) -> DataType:
        return _plain("SMALLINT", nullable)

    @staticmethod
    def INT(nullable: bool = True) -> DataType:
        return _plain("INT", nullable)

    @staticmethod
    def BIGINT(nullable: bool = True) -> DataType:
        return _plain("BIGINT", nullable)

    @staticmethod
    def FLOAT(nullable: bool = True) -> DataType:
        return _plain("FLOAT", nullable)

    @staticmethod
    def DOUBLE(nullable: bool = True) -> DataType:
        return _plain("DOUBLE", nullable)

    @staticmethod
    def DECIMAL(precision: int, scale: int = 0, nullable: bool = True) -> DataType:
        if not isinstance(precision, int) or not isinstance(scale, int):
            raise ValueError(f"DECIMAL takes two whole numbers, not {precision!r} and {scale!r}")
        if not 1 <= precision <= MAX_PRECISION or not 0 <= scale <= precision:
            raise ValueError(f"DECIMAL({precision}, {scale}): a number has 1 to 38 digits, and no more after its point")
        return decimal(precision, scale, nullable=nullable)

    @staticmethod
    def STRING(nullable: bool = True) -> DataType:
        return _plain("STRING", nullable)

    @staticmethod
    def VARCHAR(length: int, nullable: bool = True) -> DataType:
        return _sized("VARCHAR", length, nullable)

    @staticmethod
    def CHAR(length: int, nullable: bool = True) -> DataType:
        return _sized("CHAR", length, nullable)

    @staticmethod
    def BINARY(length: int, nullable: bool = True) -> DataType:
        return _sized("BINARY", length, nullable)

    @staticmethod
    def VARBINARY(length: int, nullable: bool = True) -> DataType:
        return _sized("VARBINARY", length, nullable) if length != MAX_LENGTH else _plain("BYTES", nullable)

    @staticmethod
    def BYTES(nullable: bool = True) -> DataType:
        return _plain("BYTES", nullable)

    @staticmethod
    def DATE(nullable: bool = True) -> DataType:
        return _plain("DATE", nullable)

    @staticmethod
    def TIME(precision: int = 0, nullable: bool = True) -> DataType:
        """Three digits of the fraction of a second are kept."""
        kind = _sized("TIME", precision, nullable)
        if not 0 <= precision <= 9:
            raise ValueError(f"TIME({precision}): a time has 0 to 9 digits after its seconds")
        return replace(kind, precision=min(precision, DIGITS))

    @staticmethod
    def TIMESTAMP(precision: int = 6, nullable: bool = True) -> DataType:
        return _sized("TIMESTAMP", precision, nullable)

    @staticmethod
    def TIMESTAMP_LTZ(precision: int = 6, nullable: bool = True) -> DataType:
        return _sized("TIMESTAMP_LTZ", precision, nullable)

    TIMESTAMP_WITH_LOCAL_TIME_ZONE = TIMESTAMP_LTZ

    @staticmethod
    def ARRAY(element: DataType, nullable: bool = True) -> DataType:
        return DataType("ARRAY", nullable=nullable, children=(("element", _checked(element)),))

    @staticmethod
    def MAP(key: DataType, value: DataType, nullable: bool = True) -> DataType:
        return DataType("MAP", nullable=nullable, children=(("key", _checked(key)), ("value", _checked(value))))

    @staticmethod
    def MULTISET(element: DataType, nullable: bool = True) -> DataType:
        return multiset(_checked(element)).with_nullable(nullable)

    @staticmethod
    def FIELD(name: str, type: DataType, description: str | None = None) -> Field:
        """A field of a ROW."""
        return Field(name, _checked(type))

    @staticmethod
    def ROW(fields: Sequence[Field | DataType] = (), nullable: bool = True) -> DataType:
        """Fields given as types alone are named f0, f1, ….

        Raises ValueError if two fields have one name.
        """
        if not isinstance(fields, (list, tuple)):
            raise ValueError(f"ROW takes a list of fields, DataTypes.FIELD('a', DataTypes.INT()), not {fields!r}")
        named = [one if isinstance(one, Field) else Field(f"f{n}", _checked(one)) for n, one in enumerate(fields)]
        names = [field.name for field in named]
        if len(set(names)) < len(names):
            raise ValueError(f"two fields of a ROW have one name: {', '.join(names)}")
        return DataType("ROW", nullable=nullable, children=tuple((field.name, field.type) for field in named))
