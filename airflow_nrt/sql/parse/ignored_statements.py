"""Statements of public scripts that have no effect in a report: USE, SHOW and the like; and DROP.

Only the parts that could have an effect are parsed.
"""

from __future__ import annotations

from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.parse import parsed
from airflow_nrt.sql.parse.cursor import Cursor

_SHOWN = "airflow-nrt plan shows what a report has and does"
_WHERE = "a report knows its tables by their own names, in whatever catalog and database they are"
_BUILT_IN = "connectors and formats are built in, and functions in Java can't run here"
_CATALOG = ("default_catalog", "default_database", "core")
_IN_MEMORY = "generic_in_memory"
_WORDS = ("ADD", "REMOVE", "DESC", "DESCRIBE", "DROP", "EXPLAIN", "RESET", "SHOW", "USE")


def begins_idle(cursor: Cursor) -> bool:
    """Whether a statement of this kind may begin here."""
    return cursor.token.upper in _WORDS or any(cursor.is_word("CREATE", what) for what in ("CATALOG", "DATABASE"))


def parse_idle(cursor: Cursor) -> parsed.Idle | parsed.Drop:
    """The statement at the cursor. Raises SqlError for one whose effect a report can't have."""
    at = cursor.at
    if cursor.take_word("CREATE"):
        return _created(cursor, at)
    word = cursor.advance().upper
    if word == "DROP":
        return _dropped(cursor, at)
    if word == "USE":
        return _used(cursor, at)
    if word == "RESET":
        _take_rest(cursor)
        key = cursor.text_since(at)[len("RESET") :].strip().strip("'`")
        return _idle(cursor, at, "nothing was set before it", takes_back="setting", name=key or None)
    if word in ("ADD", "REMOVE"):
        cursor.expect_word("JAR")
        cursor.string("the path of a jar in single quotes")
        return _idle(cursor, at, _BUILT_IN)
    if word == "EXPLAIN" and cursor.is_word("STATEMENT", "SET"):
        raise SqlError(f"EXPLAIN of a statement set has no place in a report: {_SHOWN}", at)
    _take_rest(cursor)
    return _idle(cursor, at, _SHOWN)


def _created(cursor: Cursor, at: Place) -> parsed.Idle:
    kind = cursor.advance().upper
    cursor.take_word("IF", "NOT", "EXISTS")
    name = cursor.qualified_name(f"the name of the {kind.lower()}")
    options: dict[str, str] = {}
    if cursor.take_word("COMMENT"):
        cursor.string()
    if cursor.take_word("WITH"):
        options = {key: value for key, value, _ in cursor.parenthesised(cursor.option)}
    if kind == "CATALOG" and options.get("type") != _IN_MEMORY:
        raise SqlError(
            f"CREATE CATALOG of type {options.get('type', '')!r} has no place in a report: declare its tables with "
            "CREATE TABLE, and leave the catalog out",
            at,
        )
    return _idle(cursor, at, _WHERE, opens=name)


def _dropped(cursor: Cursor, at: Place) -> parsed.Idle | parsed.Drop:
    cursor.take_word("TEMPORARY")
    cursor.take_word("SYSTEM")
    kind = cursor.take_any_word("TABLE", "VIEW", "FUNCTION", "DATABASE", "CATALOG")
    if kind is None:
        raise cursor.error("TABLE, VIEW, FUNCTION, DATABASE or CATALOG")
    if_exists = cursor.take_word("IF", "EXISTS")
    name = cursor.qualified_name(f"the name of the {kind.lower()}")
    cursor.take_any_word("RESTRICT", "CASCADE")
    if kind in ("TABLE", "VIEW"):
        return parsed.Drop(kind.lower(), name, if_exists, " ".join(cursor.text_since(at).split()), at)
    if not if_exists:
        raise SqlError(
            f"DROP {kind} has no place in a report: only DROP {kind} IF EXISTS before a declaration is ignored", at
        )
    return _idle(cursor, at, "nothing of that name is declared before it", takes_back=kind.lower(), name=name)


def _used(cursor: Cursor, at: Place) -> parsed.Idle:
    what = "module" if cursor.take_word("MODULES") else "catalog"
    cursor.take_word("CATALOG")
    place = cursor.at
    names = cursor.listed(lambda: cursor.qualified_name("the name of a catalog or database"))
    unknown = [name for name in names if name not in _CATALOG]
    if what == "module" and unknown:
        raise SqlError(f"there is no module {unknown[0]!r}: Flink's own functions are there, leave USE out", place)
    return _idle(cursor, at, _WHERE, enters=unknown[0] if unknown else None)


def _take_rest(cursor: Cursor) -> None:
    while not cursor.is_over and not cursor.is_symbol(";"):
        cursor.advance()


def _idle(
    cursor: Cursor,
    at: Place,
    why: str,
    takes_back: str | None = None,
    name: str | None = None,
    opens: str | None = None,
    enters: str | None = None,
) -> parsed.Idle:
    return parsed.Idle(" ".join(cursor.text_since(at).split()), why, at, takes_back, name, opens, enters)
