"""CREATE TABLE: columns, WATERMARK, PRIMARY KEY, PARTITIONED BY, WITH, LIKE."""

from __future__ import annotations

from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.parse import ast, parsed
from airflow_nrt.sql.parse.cursor import Cursor
from airflow_nrt.sql.parse.queries import QueryParser
from airflow_nrt.sql.parse.types import parse_type

_LIKE_STRATEGIES = ("INCLUDING", "EXCLUDING", "OVERWRITING")
LIKE_FEATURES = ("CONSTRAINTS", "DISTRIBUTION", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS")


class TableParser:
    """Parses one CREATE TABLE, after the table's name."""

    def __init__(self, cursor: Cursor, queries: QueryParser) -> None:
        self.cursor = cursor
        self.queries = queries
        self.columns: list[parsed.ColumnDefinition] = []
        self.watermark: parsed.WatermarkDefinition | None = None
        self.primary_key: tuple[str, ...] = ()
        self.options: set[str] = set()

    def table(self, name: str, if_not_exists: bool, at: Place) -> parsed.CreateTable:
        cursor = self.cursor
        if cursor.is_symbol("("):
            cursor.parenthesised(self._element)
        take_comment(cursor)
        if cursor.is_word("DISTRIBUTED"):
            raise NotThereYet("DISTRIBUTED BY", cursor.at)
        partition_keys: tuple[str, ...] = ()
        if cursor.take_word("PARTITIONED", "BY"):
            partition_keys = cursor.names()
        options = cursor.parenthesised(self._option) if cursor.take_word("WITH") else ()
        if cursor.is_word("AS"):
            raise NotThereYet("CREATE TABLE … AS SELECT", cursor.at, "write CREATE TABLE and INSERT INTO")
        like, rules = self._like() if cursor.take_word("LIKE") else (None, ())
        return parsed.CreateTable(
            name,
            tuple(self.columns),
            self.watermark,
            self.primary_key,
            partition_keys,
            options,
            like,
            if_not_exists,
            at,
            rules,
        )

    def _option(self) -> tuple[str, str, Place]:
        key, value, at = self.cursor.option()
        if key in self.options:
            raise SqlError(f"the option {key!r} is given twice", at)
        self.options.add(key)
        return key, value, at

    def _like(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        cursor = self.cursor
        name = cursor.qualified_name("the name of a table")
        rules: list[tuple[str, str]] = []
        if cursor.take_symbol("("):
            while not cursor.take_symbol(")"):
                strategy = cursor.take_any_word(*_LIKE_STRATEGIES)
                if strategy is None:
                    raise cursor.error("INCLUDING, EXCLUDING or OVERWRITING")
                feature = cursor.take_any_word("ALL", *LIKE_FEATURES)
                if feature is None:
                    raise cursor.error(f"ALL, {', '.join(LIKE_FEATURES[:-1])} or {LIKE_FEATURES[-1]}")
                rules.append((strategy, feature))
        return name, tuple(rules)

    # ------------------------------------------------------------------ between the parentheses

    def _element(self) -> None:
        cursor = self.cursor
        at = cursor.at
        if cursor.take_word("WATERMARK", "FOR"):
            self._watermark(at)
        elif cursor.is_word("PRIMARY", "KEY") or cursor.is_word("CONSTRAINT"):
            if cursor.take_word("CONSTRAINT"):
                cursor.name()
            cursor.expect_word("PRIMARY", "KEY")
            self.primary_key = cursor.names()
            cursor.expect_word("NOT", "ENFORCED")
        else:
            self.columns.append(self._column(at))

    def _watermark(self, at: Place) -> None:
        cursor = self.cursor
        if self.watermark is not None:
            raise SqlError("a table has at most one WATERMARK", at)
        place = cursor.at
        parts = [cursor.name("the rowtime column")]
        while cursor.take_symbol("."):
            parts.append(cursor.name())
        cursor.expect_word("AS")
        start = cursor.at
        expression = self.queries.expressions.expression()
        text = cursor.text_since(start)
        self.watermark = parsed.WatermarkDefinition(ast.Name(tuple(parts), place), expression, text, at)

    def _column(self, at: Place) -> parsed.ColumnDefinition:
        cursor = self.cursor
        name = cursor.name("a column, WATERMARK FOR or PRIMARY KEY")
        if cursor.take_word("AS"):
            expression = self.queries.expressions.expression()
            take_comment(cursor)
            return parsed.ColumnDefinition(name, None, expression, None, at)
        kind = parse_type(cursor)
        metadata = None
        if cursor.take_word("METADATA"):
            metadata = cursor.string() if cursor.take_word("FROM") else name
            cursor.take_word("VIRTUAL")
        if cursor.take_word("PRIMARY", "KEY"):
            cursor.expect_word("NOT", "ENFORCED")
            self.primary_key = (name,)
        take_comment(cursor)
        return parsed.ColumnDefinition(name, kind, None, metadata, at)


def take_comment(cursor: Cursor) -> None:
    """Skips `COMMENT 'text'`."""
    if cursor.take_word("COMMENT"):
        cursor.string()
