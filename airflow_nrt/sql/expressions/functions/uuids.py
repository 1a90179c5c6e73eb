"""UUID(): an identifier that is computed from a row, so that a row that is read again has it again.

It is a UUID of version 5 (RFC 9562): the SHA-1 of a namespace and a name, which has the call and what identifies its
row. Version 4 would claim random bits. Not every reader of UUIDs knows version 8, which is for other hashes.
"""

from __future__ import annotations

from uuid import UUID

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import STRING
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.functions.signature import bound
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.parse import ast

NAMESPACE = UUID("3fb305cc-ee06-5272-aa5a-27c500bd6367")
"""The namespace of all names, which never changes."""


def identified(node: ast.Uuid, row: str | None) -> Typed:
    """The identifier of a row. `row` is SQL that differs for each row; None: there is none. Raises SqlError then."""
    if row is None:
        raise SqlError(
            "UUID() is computed from what identifies its row, so that a backfill finds the same value again. Here "
            "nothing does (in WHERE, GROUP BY and ON; above a join and OVER; where a row is in several windows): "
            "select it in a subquery over the table, or beside the keys of a GROUP BY",
            node.at,
        )
    return Typed(uuid_of(node.name, row), STRING.with_nullable(False))


def uuid_of(call: str, row: str) -> str:
    r"""SQL of the identifier, of the name of a call and of SQL that differs for each row.

    >>> print(uuid_of("into orders 1", "_nrt_id"))
    transform(array(sha1(concat(X'3fb305ccee065272aa5a27c500bd6367', CAST(concat('into orders 1', ' of ', _nrt_id) AS
    BINARY)))), _nrt_x -> concat(substr(_nrt_x, 1, 8), '-', substr(_nrt_x, 9, 4), '-5', substr(_nrt_x, 14, 3), '-',
    translate(substr(_nrt_x, 17, 1), '0123456789abcdef', '89ab89ab89ab89ab'), substr(_nrt_x, 18, 3), '-',
    substr(_nrt_x, 21, 12)))[0]
    """
    name = f"CAST(concat({string_literal(call)}, ' of ', {row}) AS BINARY)"
    variant = "translate(substr(_nrt_x, 17, 1), '0123456789abcdef', '89ab89ab89ab89ab')"
    groups = (
        "substr(_nrt_x, 1, 8), '-', substr(_nrt_x, 9, 4), '-5', substr(_nrt_x, 14, 3), '-', "
        f"{variant}, substr(_nrt_x, 18, 3), '-', substr(_nrt_x, 21, 12)"
    )
    return bound(f"sha1(concat(X'{NAMESPACE.hex}', {name}))", f"concat({groups})")
