"""Statements of a script: SET, CREATE, INSERT, statement sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from airflow_nrt.sql.errors import NotThereYet, Place, Problems, SqlError, nesting_of
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.create_table import TableParser, take_comment
from airflow_nrt.sql.parse.cursor import Cursor
from airflow_nrt.sql.parse.ignored_statements import begins_idle, parse_idle
from airflow_nrt.sql.parse.queries import QueryParser

T = TypeVar("T")

REFUSED = {
    "TRUNCATE": "it publishes results, and removes none by hand",
    **dict.fromkeys(("UPDATE", "DELETE", "MERGE", "CALL", "ANALYZE"), "it reads tables and inserts into others"),
    **dict.fromkeys(("LOAD", "UNLOAD"), "a function comes by CREATE FUNCTION … LANGUAGE PYTHON"),
}
"""Statements of Flink that have no place in a report, and why."""


def parse_script(script: str, problems: Problems) -> list[parsed.Statement]:
    """The statements of a script, in order. Errors are added to `problems`, and their statements left out."""
    cursor = problems.attempt(lambda: Cursor(script))
    if cursor is None:
        return []
    statements = _StatementParser(cursor).statements(problems)
    problems.reserved |= cursor.reserved
    return statements


def parse_query(script: str) -> ast.Query:
    """One query and nothing else. A semicolon may follow it. Raises SqlError."""
    return _only(script, lambda parser: parser.query(), "query")


def parse_expression(script: str) -> ast.Expression:
    """One expression and nothing else. Raises SqlError."""
    return _only(script, lambda parser: parser.expressions.expression(), "expression")


def _only(script: str, read: Callable[[QueryParser], T], what: str) -> T:
    try:
        cursor = Cursor(script)
        with nesting_of(cursor.at):
            result = read(QueryParser(cursor))
        cursor.take_symbol(";")
        if not cursor.is_over:
            raise cursor.error(f"the end of the {what}")
        return result
    except SqlError as wrong:
        wrong.script = script
        raise


class _StatementParser:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.queries = QueryParser(cursor)
        self.declaring: str | None = None
        self.set_from: Place | None = None

    def statements(self, problems: Problems) -> list[parsed.Statement]:
        cursor = self.cursor
        statements: list[parsed.Statement] = []
        while True:
            while cursor.take_symbol(";"):
                pass
            if cursor.is_over or problems.are_enough:
                if cursor.is_over and self.set_from is not None:
                    problems.errors.append(SqlError("this statement set has no END", self.set_from))
                return statements
            at, self.declaring = cursor.at, None
            statement = problems.attempt(self._next)
            if statement is not None:
                statements.append(statement)
                continue
            if self.declaring is not None:
                statements.append(parsed.Unreadable(self.declaring, at))
            self._skip()

    def _next(self) -> parsed.Statement:
        """One statement with its semicolon. The begin and the end of a statement set are statements, too."""
        cursor = self.cursor
        at = cursor.at
        with nesting_of(at):
            if cursor.take_word("EXECUTE", "STATEMENT", "SET") or cursor.is_word("BEGIN", "STATEMENT", "SET"):
                return self._begin(at)
            if self.set_from is not None and cursor.take_word("END"):
                self.set_from = None
                statement: parsed.Statement = parsed.Ignored("END", at)
            else:
                statement = self._statement()
        if self.set_from is not None and not isinstance(statement, parsed.Insert):
            raise SqlError("a statement set holds INSERT INTO and nothing else, until its END", at)
        if not cursor.is_over:
            cursor.expect_symbol(";")
        return statement

    def _begin(self, at: Place) -> parsed.Statement:
        """`EXECUTE STATEMENT SET BEGIN`, or `BEGIN STATEMENT SET;`."""
        cursor = self.cursor
        if self.set_from is not None:
            raise SqlError("a statement set holds INSERT INTO and nothing else, until its END", at)
        if cursor.take_word("BEGIN", "STATEMENT", "SET"):
            cursor.expect_symbol(";")
        else:
            cursor.expect_word("BEGIN")
        self.set_from = at
        return parsed.Ignored("BEGIN", at)

    def _skip(self) -> None:
        """Skips a statement that can't be parsed, up to its semicolon."""
        self.queries.expressions.depth = 0
        while not self.cursor.is_over and not self.cursor.is_symbol(";"):
            self.cursor.advance()

    def _statement(self) -> parsed.Statement:
        cursor = self.cursor
        at = cursor.at
        if cursor.take_word("SET"):
            return self._set(at)
        if begins_idle(cursor):
            return parse_idle(cursor)
        if cursor.is_word("CREATE"):
            return self._create(at)
        if cursor.is_word("ALTER"):
            return self._alter(at)
        if cursor.is_word("EXECUTE"):
            cursor.advance()
        if cursor.is_word("INSERT"):
            return self._insert()
        if cursor.token.upper in REFUSED:
            raise SqlError(f"{cursor.token.upper} has no place in a report: {REFUSED[cursor.token.upper]}", at)
        if self.queries.starts_query():
            raise SqlError("a report writes its result: put INSERT INTO … before this query", at)
        raise cursor.error("a statement: SET, CREATE TABLE, CREATE VIEW, INSERT INTO or EXECUTE STATEMENT SET")

    def _set(self, at: Place) -> parsed.Statement:
        key = self._option_text(stop=("=",))
        self.cursor.expect_symbol("=")
        return parsed.SetOption(key, self._option_text(stop=(";",)), at)

    def _option_text(self, stop: tuple[str, ...]) -> str:
        """A key or value of SET: a string, or words up to the stop."""
        cursor = self.cursor
        if cursor.is_string():
            return cursor.string()
        start = cursor.at
        while not cursor.is_over and not cursor.is_symbol(*stop):
            cursor.advance()
        if cursor.at.offset == start.offset:
            raise cursor.error("a key or a value")
        return cursor.text_since(start).strip()

    def _create(self, at: Place) -> parsed.Statement:
        cursor = self.cursor
        cursor.expect_word("CREATE")
        replaces = cursor.take_word("OR", "REPLACE")
        cursor.take_word("TEMPORARY")
        if replaces and not cursor.is_word("VIEW"):
            raise NotThereYet(f"CREATE OR REPLACE {cursor.token.upper}", at)
        if cursor.take_word("SYSTEM", "FUNCTION") or cursor.take_word("FUNCTION"):
            return self._create_function(at)
        if cursor.token.upper in ("MODEL", "MATERIALIZED"):
            raise NotThereYet(f"CREATE {cursor.token.upper}", at)
        kind = cursor.take_any_word("TABLE", "VIEW")
        if kind is None:
            raise cursor.error("TABLE, VIEW or FUNCTION")
        if_not_exists = cursor.take_word("IF", "NOT", "EXISTS")
        name = self.declaring = cursor.qualified_name(f"the name of the {kind.lower()}")
        if kind == "TABLE":
            return TableParser(cursor, self.queries).table(name, if_not_exists, at)
        columns = cursor.names(self._view_column) if cursor.is_symbol("(") else ()
        take_comment(cursor)
        # FLIP-145 has views without AS.
        cursor.take_word("AS")
        return parsed.CreateView(name, columns, self.queries.query(), if_not_exists, at, replaces)

    def _alter(self, at: Place) -> parsed.AlterTable:
        cursor = self.cursor
        cursor.expect_word("ALTER")
        if not cursor.take_word("TABLE"):
            raise SqlError(f"ALTER {cursor.ahead(0).upper} has no place in a report: ALTER TABLE … SET (…) has", at)
        if_exists = cursor.take_word("IF", "EXISTS")
        name = cursor.qualified_name("the name of the table")
        if if_exists or cursor.token.upper not in ("SET", "RESET"):
            raise SqlError("only ALTER TABLE … SET ('key' = 'value') and RESET ('key') are there", at)
        if cursor.advance().upper == "RESET":
            return parsed.AlterTable(name, (), cursor.parenthesised(lambda: cursor.string("an option")), at)
        return parsed.AlterTable(name, cursor.parenthesised(cursor.option), (), at)

    def _view_column(self) -> str:
        name = self.cursor.name("the name of a column")
        take_comment(self.cursor)
        return name

    def _create_function(self, at: Place) -> parsed.Statement:
        cursor = self.cursor
        if_not_exists = cursor.take_word("IF", "NOT", "EXISTS")
        name = self.declaring = cursor.qualified_name("the name of the function")
        cursor.expect_word("AS")
        target = cursor.string("'module.function' in single quotes")
        if not cursor.take_word("LANGUAGE", "PYTHON"):
            raise SqlError(
                f"function {name!r} is a Java class, which can't run here: write it in Python, "
                "CREATE FUNCTION … AS 'module.function' LANGUAGE PYTHON",
                at,
            )
        return parsed.CreateFunction(name, target, if_not_exists, at)

    def _insert(self) -> parsed.Insert:
        cursor = self.cursor
        at = cursor.expect_word("INSERT")
        overwrites = cursor.take_word("OVERWRITE")
        if not overwrites:
            cursor.expect_word("INTO")
        name = cursor.qualified_name("the name of the table to insert into")
        options = self.queries.hint()
        partition = cursor.parenthesised(self._partition_value) if cursor.take_word("PARTITION") else ()
        columns = cursor.names() if self._is_column_list() else ()
        if not self.queries.starts_query():
            raise cursor.error("SELECT")
        given = tuple((column, value) for column, value in partition if value is not None)
        return parsed.Insert(name, columns, self.queries.query(), at, options, given, overwrites)

    def _partition_value(self) -> tuple[str, ast.Expression | None]:
        """`ds = '2024-06-18'`. A column without a value has that of the query."""
        cursor = self.cursor
        column = cursor.name("the name of a partition column")
        return column, self.queries.expressions.expression() if cursor.take_symbol("=") else None

    def _is_column_list(self) -> bool:
        return self.cursor.is_symbol("(") and not self.queries.starts_query()
