"""Queries of Flink SQL: WITH, SELECT, set operations, FROM with joins, windowing functions and derived tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.cursor import Cursor
from airflow_nrt.sql.parse.expressions import ExpressionParser
from airflow_nrt.sql.parse.hints import idle_hints, table_options
from airflow_nrt.sql.parse.key_sets import listed_sets
from airflow_nrt.sql.parse.qualify import qualified
from airflow_nrt.sql.parse.words.lexer import TokenKind

_AFTER_QUERY = ("UNION", "EXCEPT", "MINUS", "INTERSECT", "ORDER", "LIMIT", "FETCH", "OFFSET")


class QueryParser:
    """Parses queries at the cursor. `expressions` parses the expressions in them."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.expressions = ExpressionParser(cursor, self)

    def starts_query(self) -> bool:
        """Whether a query begins here, perhaps in parentheses: `(SELECT …) UNION …` does, `(SELECT …) + 1` does not."""
        tokens, index = self.cursor.tokens, self.cursor.index
        while tokens[index].kind is TokenKind.SYMBOL and tokens[index].text == "(":
            following = tokens[self.cursor.closing.get(index, len(tokens) - 2) + 1]
            if following.text not in (")", ";", "") and following.upper not in _AFTER_QUERY:
                return False
            index += 1
        return tokens[index].upper in ("SELECT", "WITH", "VALUES")

    # ------------------------------------------------------------------ set operations

    def query(self) -> ast.Query:
        self.expressions.depth += 1
        ctes = self._ctes() if self.cursor.take_word("WITH") else ()
        body = self._union()
        order = self._order()
        offset = self._offset()
        limit = self._limit()
        offset = offset or self._offset()
        self.expressions.depth -= 1
        if isinstance(body, ast.Values):
            if ctes or order or limit or offset:
                raise self.cursor.error("the end of VALUES")
            return body
        if (ctes and body.ctes) or ((body.limit or body.offset) and (order or limit or offset)):
            # The query in parentheses is computed first.
            body = ast.Select((ast.SelectItem(ast.Star(None, body.at), None),), ast.Derived(body, body.at), body.at)
        return replace(
            body,
            ctes=ctes or body.ctes,
            order=order or body.order,
            limit=limit or body.limit,
            offset=offset or body.offset,
        )

    def _ctes(self) -> tuple[tuple[str, tuple[str, ...], ast.Query], ...]:
        names: set[str] = set()

        def one() -> tuple[str, tuple[str, ...], ast.Query]:
            at = self.cursor.at
            name = self.cursor.name("the name of a common table expression")
            if name in names:
                raise SqlError(f"{name!r} is defined twice in one WITH: give this one another name", at)
            names.add(name)
            columns = self.cursor.names() if self.cursor.is_symbol("(") else ()
            self.cursor.expect_word("AS")
            self.cursor.expect_symbol("(")
            query = self.query()
            self.cursor.expect_symbol(")")
            return name, columns, query

        return self.cursor.listed(one)

    def _union(self) -> ast.Query:
        left = self._intersect()
        while self.cursor.token.upper in ("UNION", "EXCEPT", "MINUS"):
            left = self._set_operation(left, self._intersect)
        return left

    def _intersect(self) -> ast.Query:
        left = self._term()
        while self.cursor.is_word("INTERSECT"):
            left = self._set_operation(left, self._term)
        return left

    def _set_operation(self, left: ast.Query, right: Callable[[], ast.Query]) -> ast.SetOperation:
        at = self.cursor.at
        word = self.cursor.take_any_word("UNION", "EXCEPT", "MINUS", "INTERSECT") or ""
        keep_all = self.cursor.take_any_word("ALL", "DISTINCT") == "ALL"
        written = f"{word}{' ALL' if keep_all else ''}"
        return ast.SetOperation("EXCEPT" if word == "MINUS" else word, keep_all, left, right(), at, written=written)

    def _term(self) -> ast.Query:
        if self.cursor.take_symbol("("):
            query = self.query()
            self.cursor.expect_symbol(")")
            return query
        if self.cursor.is_word("VALUES"):
            at = self.cursor.expect_word("VALUES")
            return ast.Values(self.cursor.listed(self._values_row), at)
        return self._select()

    def _values_row(self) -> tuple[ast.Expression, ...]:
        self.cursor.take_word("ROW")
        return self.cursor.parenthesised(self.expressions.expression)

    # ------------------------------------------------------------------ select

    def _select(self) -> ast.Select:
        cursor = self.cursor
        at = cursor.expect_word("SELECT")
        hints = idle_hints(cursor.advance()) if cursor.token.kind is TokenKind.HINT else {}
        distinct = cursor.take_any_word("DISTINCT", "ALL") == "DISTINCT"
        items = cursor.listed(self._item)
        relation = self._from() if cursor.take_word("FROM") else None
        where = self.expressions.expression() if cursor.take_word("WHERE") else None
        group = self._group() if cursor.take_word("GROUP", "BY") else None
        having = self.expressions.expression() if cursor.take_word("HAVING") else None
        windows = cursor.listed(self._named_window) if cursor.take_word("WINDOW") else ()
        select = ast.Select(items, relation, at, distinct, where, group, having, windows, hints=tuple(hints.items()))
        return qualified(select, self.expressions.expression()) if cursor.take_word("QUALIFY") else select

    def _item(self) -> ast.SelectItem:
        expression = self.expressions.expression()
        if self.cursor.take_word("AS"):
            return ast.SelectItem(expression, self.cursor.name("the name of a column"))
        if self.cursor.is_name():
            return ast.SelectItem(expression, self.cursor.name())
        unit = self.cursor.ahead(-1)
        if isinstance(expression, ast.Difference) and unit.upper == expression.unit and expression.to_unit is None:
            # `SELECT (price - cost) day FROM`: a name. An interval by itself is no value of a table.
            return ast.SelectItem(ast.Binary("-", expression.end, expression.start, expression.at), unit.text)
        return ast.SelectItem(expression, None)

    def _group(self) -> tuple[ast.Grouping, ...]:
        return tuple(grouping for listed in self.cursor.listed(self._groupings) for grouping in listed)

    def _groupings(self) -> tuple[ast.Grouping, ...]:
        """One element of GROUP BY. Several keys in parentheses are one element."""
        cursor = self.cursor
        at = cursor.at
        if (sets := self._sets()) is not None:
            return (sets,)
        if cursor.is_symbol("(", ")"):
            return (ast.Grouping("GROUPING SETS", (self._grouping_set(),), at),)
        keys = self._grouping_set() if self._is_key_list() else (self.expressions.expression(),)
        return tuple(ast.Grouping("key", ((key,),), key.at) for key in keys)

    def _sets(self) -> ast.Grouping | None:
        """GROUPING SETS, which may have others inside, CUBE or ROLLUP. None if the cursor is at none of them."""
        cursor, at = self.cursor, self.cursor.at
        if cursor.take_word("GROUPING", "SETS"):
            return ast.Grouping("GROUPING SETS", listed_sets(cursor.parenthesised(self._nested_sets), at), at)
        for kind in ("CUBE", "ROLLUP"):
            if cursor.is_word(kind) and cursor.ahead().text == "(":
                cursor.advance()
                return ast.Grouping(kind, cursor.parenthesised(self._grouping_set), at)
        return None

    def _nested_sets(self) -> ast.Grouping:
        at, inner = self.cursor.at, self._sets()
        return inner if inner is not None else ast.Grouping("GROUPING SETS", (self._grouping_set(),), at)

    def _is_key_list(self) -> bool:
        """Whether the cursor is at parentheses with more than one key."""
        index, end = self.cursor.index + 1, self.cursor.closing.get(self.cursor.index)
        while end is not None and index < end:
            token = self.cursor.tokens[index]
            if token.kind is TokenKind.SYMBOL and token.text == ",":
                return True
            index = self.cursor.closing.get(index, index) + 1
        return False

    def _grouping_set(self) -> tuple[ast.Expression, ...]:
        if not self.cursor.take_symbol("("):
            return (self.expressions.expression(),)
        keys = () if self.cursor.is_symbol(")") else self.cursor.listed(self.expressions.expression)
        self.cursor.expect_symbol(")")
        return keys

    def _named_window(self) -> tuple[str, ast.Over]:
        name = self.cursor.name("the name of a window")
        self.cursor.expect_word("AS")
        return name, self.expressions.over()

    def _order(self) -> tuple[ast.OrderItem, ...]:
        return self.cursor.listed(self.expressions.order_item) if self.cursor.take_word("ORDER", "BY") else ()

    def _limit(self) -> ast.Expression | None:
        if self.cursor.take_word("LIMIT"):
            return self.expressions.expression()
        if self.cursor.take_word("FETCH"):
            self.cursor.take_any_word("FIRST", "NEXT")
            limit = self.expressions.expression()
            self.cursor.take_any_word("ROW", "ROWS")
            self.cursor.expect_word("ONLY")
            return limit
        return None

    def _offset(self) -> ast.Expression | None:
        if not self.cursor.take_word("OFFSET"):
            return None
        offset = self.expressions.expression()
        self.cursor.take_any_word("ROW", "ROWS")
        return offset

    # ------------------------------------------------------------------ from

    def _from(self) -> ast.Relation:
        left = self._joined()
        while self.cursor.take_symbol(","):
            left = ast.Join("CROSS", left, self._joined(), None, (), left.at)
        return left

    def _joined(self) -> ast.Relation:
        left = self._relation()
        while True:
            natural, kind = self.cursor.take_word("NATURAL"), self._join_kind()
            if natural and kind in (None, "CROSS"):
                raise self.cursor.error("JOIN after NATURAL")
            if kind is None:
                return left
            right = self._relation()
            condition: ast.Expression | None = None
            using: tuple[str, ...] = ()
            if kind == "CROSS" and self.cursor.token.upper in ("ON", "USING"):
                raise SqlError("CROSS JOIN takes no condition: write JOIN", self.cursor.at)
            if not natural and self.cursor.take_word("ON"):
                condition = self.expressions.expression()
            elif not natural and self.cursor.take_word("USING"):
                using = self.cursor.names()
            left = ast.Join(kind, left, right, condition, using, left.at, natural)

    def _join_kind(self) -> str | None:
        cursor = self.cursor
        if cursor.take_word("JOIN") or cursor.take_word("INNER", "JOIN"):
            return "INNER"
        if cursor.take_word("CROSS", "JOIN"):
            return "CROSS"
        for side in ("LEFT", "RIGHT", "FULL"):
            if cursor.take_word(side, "JOIN") or cursor.take_word(side, "OUTER", "JOIN"):
                return side
        return None

    def _relation(self) -> ast.Relation:
        cursor = self.cursor
        at = cursor.at
        if cursor.is_word("LATERAL") or cursor.is_word("UNNEST"):
            return self._lateral(at)
        if cursor.is_word("TABLE") and cursor.ahead().text == "(":
            cursor.advance()
            cursor.advance()
            call = self._function(at)
            cursor.expect_symbol(")")
            return self._listed(ast.FunctionTable(call, at))
        if cursor.is_symbol("("):
            return self._parenthesised(at)
        if cursor.token.kind is TokenKind.NAME and cursor.ahead().text == "(":
            return self._listed(ast.FunctionTable(self._function(at), at))
        return self._table(at)

    def _lateral(self, at: Place) -> ast.Relation:
        cursor = self.cursor
        of_function = cursor.take_word("LATERAL")
        if of_function and not cursor.is_word("TABLE"):
            raise NotThereYet("LATERAL with a query", at)
        cursor.advance()
        cursor.expect_symbol("(")
        expression = self._function(cursor.at) if of_function else self.expressions.expression()
        cursor.expect_symbol(")")
        numbered = not of_function and cursor.take_word("WITH", "ORDINALITY")
        return self._with_alias(ast.Lateral(expression, of_function, at, numbered=numbered))

    def _parenthesised(self, at: Place) -> ast.Relation:
        self.cursor.expect_symbol("(")
        if self.starts_query():
            query = self.query()
            self.cursor.expect_symbol(")")
            return self._with_alias(ast.Derived(query, at))
        inner = self._from()
        self.cursor.expect_symbol(")")
        return inner

    def _function(self, at: Place) -> ast.Call:
        call = self.expressions.expression()
        if not isinstance(call, ast.Call):
            raise SqlError("expected a table function such as TUMBLE(…)", at)
        return call

    def _table(self, at: Place) -> ast.Relation:
        name = self.cursor.qualified_name("a table, a view, a query in parentheses or a windowing function")
        options = self.hint()
        if self.cursor.is_word("FOR", "SYSTEM_TIME"):
            return self._version(name, options)
        return self._listed(ast.TableName(name, at, None, options))

    def _version(self, name: str, options: tuple[tuple[str, str], ...]) -> ast.TableVersion:
        """`FOR SYSTEM_TIME AS OF time`, which follows the name of a table."""
        at = self.cursor.at
        self.cursor.take_word("FOR", "SYSTEM_TIME")
        self.cursor.expect_word("AS")
        self.cursor.expect_word("OF")
        time = self.expressions.expression()
        options = options or self.hint()
        return ast.TableVersion(name, time, at, self._alias(), options or self.hint())

    def hint(self) -> tuple[tuple[str, str], ...]:
        """The options of `/*+ OPTIONS('k'='v') */`, empty if the cursor is at no hint."""
        if self.cursor.token.kind is not TokenKind.HINT:
            return ()
        return table_options(self.cursor.advance())

    def _alias(self) -> str | None:
        for construct in ("MATCH_RECOGNIZE", "PIVOT", "UNPIVOT", "TABLESAMPLE"):
            if self.cursor.is_word(construct) and self.cursor.ahead().text in ("(", "BERNOULLI", "SYSTEM"):
                raise NotThereYet(construct, self.cursor.at)
        if self.cursor.take_word("AS"):
            return self.cursor.name("an alias")
        return self.cursor.name() if self.cursor.is_name() else None

    def _listed(self, relation: ast.TableName | ast.FunctionTable) -> ast.Relation:
        """The relation with its alias. With a column list it becomes a query, which renames the columns."""
        alias = self._alias()
        columns = self.cursor.names() if alias and self.cursor.is_symbol("(") else ()
        if isinstance(relation, ast.TableName):
            relation = replace(relation, options=relation.options or self.hint())
        if not columns:
            return replace(relation, alias=alias)
        at = relation.at
        return ast.Derived(ast.Select((ast.SelectItem(ast.Star(None, at), None),), relation, at), at, alias, columns)

    def _with_alias(self, relation: ast.Derived | ast.Lateral) -> ast.Relation:
        alias = self._alias()
        columns = self.cursor.names() if alias and self.cursor.is_symbol("(") else ()
        return replace(relation, alias=alias, columns=columns)

    # ------------------------------------------------------------------ arguments of windowing functions

    def table_argument(self, at: Place) -> ast.TableArgument:
        """An argument after `TABLE`: a name or a query, then optionally PARTITION BY."""
        relation: ast.Relation
        if self.cursor.is_symbol("("):
            relation = self._parenthesised(self.cursor.at)
        else:
            place = self.cursor.at
            relation = ast.TableName(self.cursor.qualified_name("a table or a view"), place, None, self.hint())
        return ast.TableArgument(relation, self._partition(), at)

    def partitioned_argument(self, value: ast.Name | ast.Scalar, at: Place) -> ast.TableArgument:
        """An argument without `TABLE` that is a table, because PARTITION BY follows it."""
        relation: ast.Relation
        if isinstance(value, ast.Name):
            relation = ast.TableName(value.parts[-1], value.at)
        else:
            relation = ast.Derived(value.query, value.at)
        return ast.TableArgument(relation, self._partition(), at)

    def _partition(self) -> tuple[ast.Expression, ...]:
        cursor = self.cursor
        if not cursor.take_word("PARTITION", "BY"):
            return ()
        if cursor.is_symbol("("):
            return cursor.parenthesised(self.expressions.expression)
        keys = [self.expressions.expression()]
        while cursor.is_symbol(",") and self._continues_partition():
            cursor.advance()
            keys.append(self.expressions.expression())
        return tuple(keys)

    def _continues_partition(self) -> bool:
        """Whether the next argument is one more key, rather than DESCRIPTOR, an interval or a named argument."""
        after = self.cursor.ahead(2)
        return (
            after.kind is TokenKind.SYMBOL
            and after.text in (",", ".", ")")
            and self.cursor.ahead().kind is not TokenKind.STRING
        )
