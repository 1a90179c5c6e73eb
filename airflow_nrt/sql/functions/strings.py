"""Functions of strings."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.report.types import DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.functions.signature import (
    Function,
    any_nullable,
    check_count,
    check_integer,
    check_string,
    of_strings,
)
from airflow_nrt.sql.typed import Typed


def _substring(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 2, 3)
    check_string(arguments[0], 1, at, name)
    for position, argument in enumerate(arguments[1:], 2):
        check_integer(argument, position, at, name)
    listed = ", ".join(argument.sql for argument in arguments)
    return Typed(f"substring({listed})", DataType("STRING", nullable=any_nullable(arguments)))


def _trim(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    side, characters, text = arguments
    check_string(text, 1, at, name)
    return Typed(f"trim({side.sql} {characters.sql} FROM {text.sql})", DataType("STRING", nullable=text.type.nullable))


def _one_sided_trim(side: str) -> Function:
    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 1, 1)
        check_string(arguments[0], 1, at, name)
        return Typed(f"trim({side} ' ' FROM {arguments[0].sql})", DataType("STRING", nullable=any_nullable(arguments)))

    return function


def _with_length(spark: str) -> Function:
    """LEFT and RIGHT: a string and a length."""

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 2, 2)
        check_string(arguments[0], 1, at, name)
        check_integer(arguments[1], 2, at, name)
        sql = f"{spark}({arguments[0].sql}, {arguments[1].sql})"
        return Typed(sql, DataType("STRING", nullable=any_nullable(arguments)))

    return function


def _padded(spark: str) -> Function:
    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 3, 3)
        check_string(arguments[0], 1, at, name)
        check_integer(arguments[1], 2, at, name)
        check_string(arguments[2], 3, at, name)
        if arguments[2].constant == "":
            raise SqlError(f"{name} wants at least one character to pad with", at)
        return Typed(f"{spark}({', '.join(a.sql for a in arguments)})", DataType("STRING"))

    return function


def _concat_ws(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    check_count(arguments, at, name, 2, None)
    for position, argument in enumerate(arguments, 1):
        check_string(argument, position, at, name)
    listed = ", ".join(argument.sql for argument in arguments)
    return Typed(f"concat_ws({listed})", DataType("STRING", nullable=arguments[0].type.nullable))


STRINGS: dict[str, Function] = {
    "UPPER": of_strings("upper({0})", 1, 1),
    "LOWER": of_strings("lower({0})", 1, 1),
    "CHAR_LENGTH": of_strings("char_length({0})", 1, 1, "INT"),
    "CHARACTER_LENGTH": of_strings("char_length({0})", 1, 1, "INT"),
    "CONCAT": of_strings("concat({all})", 1, None),
    "CONCAT_WS": _concat_ws,
    "REPLACE": of_strings("replace({0}, {1}, {2})", 3, 3),
    "REVERSE": of_strings("reverse({0})", 1, 1),
    "POSITION": of_strings("locate({0}, {1})", 2, 2, "INT"),
    "MD5": of_strings("md5(CAST({0} AS BINARY))", 1, 1),
    "SHA256": of_strings("sha2(CAST({0} AS BINARY), 256)", 1, 1),
    "SUBSTRING": _substring,
    "SUBSTR": _substring,
    "TRIM": _trim,
    "LTRIM": _one_sided_trim("LEADING"),
    "RTRIM": _one_sided_trim("TRAILING"),
    "LEFT": _with_length("left"),
    "RIGHT": _with_length("right"),
    "LPAD": _padded("lpad"),
    "RPAD": _padded("rpad"),
}
