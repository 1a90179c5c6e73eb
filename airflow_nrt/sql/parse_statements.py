"""Statements of a script: SET, CREATE TABLE, CREATE VIEW, INSERT, statement sets."""

from __future__ import annotations

from airflow_nrt.sql import ast
from airflow_nrt.sql.cursor import Cursor
from airflow_nrt.sql.errors import NotThereYet, Place, Problems, SqlError, nesting_of
from airflow_nrt.sql.lexer import Kind
from airflow_nrt.sql.parse_queries import QueryParser
from airflow_nrt.sql.parse_types import parse_type

_LATER = frozenset(
    """ALTER DROP ANALYZE MERGE UPDATE DELETE TRUNCATE CALL DESCRIBE DESC SHOW EXPLAIN LOAD ADD""".split()
)


def parse_script(script: str, problems: Problems) -> list[ast.Statement]:
    """The statements of a script, in order; those that are not Flink SQL are left out and told to `problems`."""
    cursor = problems.attempt(lambda: Cursor(script))
    return _StatementParser(cursor).statements(problems) if cursor is not None else []


def parse_query(script: str) -> ast.Query:
    """One query and nothing else, perhaps with a semicolon behind it. Raises SqlError."""
    try:
        cursor = Cursor(script)
        with nesting_of(cursor.at):
            query = QueryParser(cursor).query()
        cursor.take_symbol(";")
        if not cursor.is_over:
            raise cursor.error("the end of the query")
        return query
    except SqlError as wrong:
        wrong.script = script
        raise


class _StatementParser:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.queries = QueryParser(cursor)
        self.declaring: str | None = None

    def statements(self, problems: Problems) -> list[ast.Statement]:
        cursor = self.cursor
        statements: list[ast.Statement] = []
        while True:
            while cursor.take_symbol(";"):
                pass
            if cursor.is_over:
                return statements
            at, self.declaring = cursor.at, None
            found = problems.attempt(self._next)
            if found is None:
                if self.declaring is not None:
                    statements.append(ast.Unreadable(self.declaring, at))
                self._skip()
            else:
                statements += found

    def _next(self) -> list[ast.Statement]:
        with nesting_of(self.cursor.at):
            return self._one_or_set()

    def _one_or_set(self) -> list[ast.Statement]:
        """One statement, or those of a statement set, with the semicolon behind it."""
        cursor = self.cursor
        if cursor.take_word("EXECUTE", "STATEMENT", "SET"):
            cursor.expect_word("BEGIN")
            found = self._statement_set()
        elif cursor.take_word("BEGIN", "STATEMENT", "SET"):
            cursor.expect_symbol(";")
            found = self._statement_set()
        else:
            found = [self._statement()]
        if not cursor.is_over:
            cursor.expect_symbol(";")
        return found

    def _skip(self) -> None:
        """Goes to the semicolon that ends the statement which could not be read."""
        self.queries.expressions.depth = 0
        while not self.cursor.is_over and not self.cursor.is_symbol(";"):
            self.cursor.advance()

    def _statement_set(self) -> list[ast.Statement]:
        inserts: list[ast.Statement] = []
        while not self.cursor.take_word("END"):
            inserts.append(self._insert())
            self.cursor.expect_symbol(";")
        if not inserts:
            raise self.cursor.error("at least one INSERT in the statement set")
        return inserts

    def _statement(self) -> ast.Statement:
        cursor = self.cursor
        at = cursor.at
        if cursor.take_word("SET"):
            return self._set(at)
        if cursor.is_word("CREATE"):
            return self._create(at)
        if cursor.is_word("EXECUTE"):
            cursor.advance()
        if cursor.is_word("INSERT"):
            return self._insert()
        if cursor.token.upper in ("USE", "RESET"):
            while not cursor.is_over and not cursor.is_symbol(";"):
                cursor.advance()
            return ast.Ignored(cursor.text_since(at), at)
        if cursor.token.upper in _LATER:
            raise NotThereYet(f"{cursor.token.upper} in a report", at)
        if self.queries.starts_query():
            raise SqlError("a report writes its result: put INSERT INTO … in front of this query", at)
        raise cursor.error("a statement: SET, CREATE TABLE, CREATE VIEW, INSERT INTO or EXECUTE STATEMENT SET")

    def _set(self, at: Place) -> ast.Statement:
        key = self._option_text(stop=("=",))
        self.cursor.expect_symbol("=")
        return ast.SetOption(key, self._option_text(stop=(";",)), at)

    def _option_text(self, stop: tuple[str, ...]) -> str:
        """A key or value of SET: a string, or words up to the stop."""
        cursor = self.cursor
        if cursor.token.kind is Kind.STRING:
            return cursor.advance().text
        start = cursor.at
        while not cursor.is_over and not cursor.is_symbol(*stop):
            cursor.advance()
        if cursor.at.offset == start.offset:
            raise cursor.error("a key or a value")
        return cursor.text_since(start).strip()

    def _create(self, at: Place) -> ast.Statement:
        cursor = self.cursor
        cursor.expect_word("CREATE")
        if cursor.is_word("OR", "REPLACE"):
            raise NotThereYet("CREATE OR REPLACE", at)
        cursor.take_word("TEMPORARY")
        if cursor.take_word("TABLE"):
            return self._create_table(at)
        if cursor.take_word("VIEW"):
            return self._create_view(at)
        if cursor.token.upper in ("FUNCTION", "SYSTEM", "CATALOG", "DATABASE", "MODEL", "MATERIALIZED"):
            raise NotThereYet(f"CREATE {cursor.token.upper}", at)
        raise cursor.error("TABLE or VIEW")

    def _create_view(self, at: Place) -> ast.Statement:
        cursor = self.cursor
        if_not_exists = cursor.take_word("IF", "NOT", "EXISTS")
        name = self.declaring = self._qualified_name("the name of the view")
        columns = cursor.parenthesised(cursor.name) if cursor.is_symbol("(") else ()
        self._comment()
        cursor.take_word("AS")
        return ast.CreateView(name, columns, self.queries.query(), if_not_exists, at)

    def _insert(self) -> ast.Insert:
        cursor = self.cursor
        at = cursor.expect_word("INSERT")
        if cursor.is_word("OVERWRITE"):
            raise NotThereYet("INSERT OVERWRITE", at)
        cursor.expect_word("INTO")
        name = self._qualified_name("the name of the table to insert into")
        options = self.queries.hint()
        if cursor.is_word("PARTITION"):
            raise NotThereYet("INSERT INTO … PARTITION", cursor.at)
        columns = cursor.parenthesised(cursor.name) if self._is_column_list() else ()
        if not self.queries.starts_query():
            raise cursor.error("SELECT")
        return ast.Insert(name, columns, self.queries.query(), at, options)

    def _is_column_list(self) -> bool:
        return self.cursor.is_symbol("(") and not self.queries.starts_query()

    def _qualified_name(self, what: str) -> str:
        name = self.cursor.name(what)
        while self.cursor.take_symbol("."):
            name = self.cursor.name(what)
        return name

    def _comment(self) -> None:
        if self.cursor.take_word("COMMENT"):
            self.cursor.string()

    # ------------------------------------------------------------------ create table

    def _create_table(self, at: Place) -> ast.Statement:
        cursor = self.cursor
        if_not_exists = cursor.take_word("IF", "NOT", "EXISTS")
        name = self.declaring = self._qualified_name("the name of the table")
        body = _TableBody()
        if cursor.is_symbol("("):
            cursor.parenthesised(lambda: self._element(body))
        self._comment()
        partition_keys: tuple[str, ...] = ()
        if cursor.take_word("PARTITIONED", "BY"):
            partition_keys = cursor.parenthesised(cursor.name)
        if cursor.is_word("DISTRIBUTED"):
            raise NotThereYet("DISTRIBUTED BY", cursor.at)
        options = cursor.parenthesised(self._table_option) if cursor.take_word("WITH") else ()
        if cursor.is_word("AS"):
            raise NotThereYet("CREATE TABLE … AS SELECT", cursor.at, "write CREATE TABLE and INSERT INTO")
        like = None
        if cursor.take_word("LIKE"):
            like = self._qualified_name("the name of a table")
            if cursor.is_symbol("("):
                raise NotThereYet("LIKE with merging options", cursor.at)
        return ast.CreateTable(
            name,
            tuple(body.columns),
            body.watermark,
            body.primary_key,
            partition_keys,
            options,
            like,
            if_not_exists,
            at,
        )

    def _table_option(self) -> tuple[str, str, Place]:
        at = self.cursor.at
        key = self.cursor.string("an option: 'key' = 'value'")
        self.cursor.expect_symbol("=")
        return key, self.cursor.string("the option's value in single quotes"), at

    def _element(self, body: _TableBody) -> None:
        cursor = self.cursor
        at = cursor.at
        if cursor.is_word("WATERMARK", "FOR"):
            self._watermark(body, at)
        elif cursor.is_word("PRIMARY", "KEY") or cursor.is_word("CONSTRAINT"):
            if cursor.take_word("CONSTRAINT"):
                cursor.name()
            cursor.expect_word("PRIMARY", "KEY")
            body.primary_key = cursor.parenthesised(cursor.name)
            cursor.expect_word("NOT", "ENFORCED")
        else:
            body.columns.append(self._column(body, at))

    def _watermark(self, body: _TableBody, at: Place) -> None:
        cursor = self.cursor
        cursor.expect_word("WATERMARK", "FOR")
        if body.watermark is not None:
            raise SqlError("a table has at most one WATERMARK", at)
        place = cursor.at
        column = cursor.name("the rowtime column")
        parts = [column]
        while cursor.take_symbol("."):
            parts.append(cursor.name())
        cursor.expect_word("AS")
        start = cursor.at
        expression = self.queries.expressions.expression()
        text = cursor.text_since(start)
        body.watermark = ast.WatermarkDefinition(ast.Name(tuple(parts), place), expression, text, at)

    def _column(self, body: _TableBody, at: Place) -> ast.ColumnDefinition:
        cursor = self.cursor
        name = cursor.name("a column, WATERMARK FOR or PRIMARY KEY")
        if cursor.take_word("AS"):
            expression = self.queries.expressions.expression()
            self._comment()
            return ast.ColumnDefinition(name, None, expression, None, at)
        kind = parse_type(cursor)
        metadata = None
        if cursor.take_word("METADATA"):
            metadata = cursor.string() if cursor.take_word("FROM") else name
            cursor.take_word("VIRTUAL")
        if cursor.take_word("PRIMARY", "KEY"):
            cursor.expect_word("NOT", "ENFORCED")
            body.primary_key = (name,)
        self._comment()
        return ast.ColumnDefinition(name, kind, None, metadata, at)


class _TableBody:
    """What the parentheses of CREATE TABLE have given so far."""

    def __init__(self) -> None:
        self.columns: list[ast.ColumnDefinition] = []
        self.watermark: ast.WatermarkDefinition | None = None
        self.primary_key: tuple[str, ...] = ()
