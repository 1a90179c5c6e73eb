"""Hashes of strings, in hexadecimal digits."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.functions.signature import (
    TEXT,
    Function,
    any_nullable,
    check_count,
    check_string,
    constant_integer,
    scalar,
)
from airflow_nrt.sql.expressions.typed import Typed

_BITS = (224, 256, 384, 512)


def _sha2(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """SHA2(s, 256) is "sha2(CAST(`s` AS BINARY), 256)"."""
    check_count(arguments, at, name, 2, 2)
    check_string(arguments[0], 1, at, name)
    bits = constant_integer(arguments[1], at, name, "a length")
    if bits not in _BITS:
        raise SqlError(f"{name} has no {bits} bits: write 224, 256, 384 or 512", at)
    return Typed(f"sha2(CAST({arguments[0].sql} AS BINARY), {bits})", TEXT.with_nullable(any_nullable(arguments)))


HASHES: dict[str, Function] = {
    "MD5": scalar("s", TEXT, "md5(CAST({0} AS BINARY))"),
    "SHA1": scalar("s", TEXT, "sha1(CAST({0} AS BINARY))"),
    **{f"SHA{bits}": scalar("s", TEXT, f"sha2(CAST({{0}} AS BINARY), {bits})") for bits in _BITS},
    "SHA2": _sha2,
}
