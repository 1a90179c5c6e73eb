"""Tables of a program, as in PyFlink: each method gives another table, and is checked where it is called."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from airflow_nrt.basics.texts import counted
from airflow_nrt.sql.errors import NotThereYet, SqlError
from airflow_nrt.sql.parse import ast
from airflow_nrt.table.checks.arguments import check_overwrite, checked, checked_name, no_such_name, wrong
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.expressions.expression import Expression
from airflow_nrt.table.tables.rows import Rows, all_columns, another, check_windows, counts_rows, selected

if TYPE_CHECKING:
    import pandas

    from airflow_nrt.model.result_timing import OutputOptions
    from airflow_nrt.sql.expressions.scope import ScopeColumn
    from airflow_nrt.table.tables.aggregated import AggregatedTable
    from airflow_nrt.table.tables.declaration import Declaration
    from airflow_nrt.table.tables.grouped import GroupedTable, GroupWindowedTable
    from airflow_nrt.table.tables.over_windowed import OverWindowedTable
    from airflow_nrt.table.tables.pipeline import TablePipeline
    from airflow_nrt.table.tables.result import TableResult
    from airflow_nrt.table.tables.schema import TableSchema
    from airflow_nrt.table.windows.windows import GroupWindow, OverWindow


class Table(Rows):
    """`query` is its meaning in SQL."""

    def __getattr__(self, name: str) -> Expression:
        """A column: `t.k` is `col("k")`."""
        names: list[str] = []
        if not name.startswith("_"):
            with suppress(NotThereYet):
                names = [column.name for column in self.columns]
        if name not in names:
            raise no_such_name(
                "a table has no method, and this one no column,", name, [*names, *vars(Table), *vars(Rows)]
            )
        return Expression(ast.Name((name,), here()))

    def get_schema(self) -> TableSchema:
        from airflow_nrt.table.tables.schema import TableSchema

        return TableSchema(self.columns)

    get_resolved_schema = get_schema

    def print_schema(self) -> None:
        print(self.get_schema())

    # ------------------------------------------------------------------ columns and rows

    def alias(self, name: str, *others: str) -> Table:
        """The first columns under these names."""
        names = tuple(
            checked_name("alias takes names of columns, as in alias('a', 'b')", one) for one in (name, *others)
        )
        columns = self.columns
        if len(names) > len(columns):
            raise SqlError(f"{counted(len(names), 'name')} given for {counted(len(columns), 'column')}", here())
        return selected(
            self, tuple(_item(column, names[n] if n < len(names) else None) for n, column in enumerate(columns))
        )

    def where(self, predicate: Expression) -> Table:
        (condition,) = self.environment.expressions((predicate,))
        check_windows((condition.node,), None)
        relation, where = self.rows()
        where = condition.node if where is None else ast.Binary("AND", where, condition.node, here())
        return another(self, ast.Select(all_columns(), relation, here(), where=where))

    filter = where

    def add_columns(self, *fields: Expression) -> Table:
        return selected(self, (*all_columns(), *self._added(fields)))

    def add_or_replace_columns(self, *fields: Expression) -> Table:
        """Adds columns; one with the name of an existing column replaces it."""
        added = {item.alias or _name(item): item for item in self._added(fields)}
        columns = [added.pop(column.name, _item(column)) for column in self.columns]
        return selected(self, (*columns, *added.values()))

    def _added(self, fields: tuple[Expression, ...]) -> tuple[ast.SelectItem, ...]:
        return self.environment.items(self.environment.expressions(fields), len(self.columns))

    def rename_columns(self, *fields: Expression) -> Table:
        """`rename_columns(col("a").alias("b"))`."""
        names = {self._column(one): one.names[0] if one.names else None for one in self.environment.expressions(fields)}
        return selected(self, tuple(_item(column, names.get(column.name)) for column in self.columns))

    def drop_columns(self, *fields: Expression) -> Table:
        dropped = {self._column(one) for one in self.environment.expressions(fields)}
        kept = tuple(_item(column) for column in self.columns if column.name not in dropped)
        if not kept:
            raise SqlError("drop_columns leaves no column", here())
        return selected(self, kept)

    def _column(self, field: Expression) -> str:
        """The name of a column of this table. Raises SqlError for anything else."""
        from airflow_nrt.sql.expressions.scope import Scope

        if not isinstance(field.node, ast.Name):
            raise SqlError(f"a column is needed, as in col('a'); here is {field!r}", here())
        return Scope(self.columns).find(field.node).name

    def distinct(self) -> Table:
        return selected(self, all_columns(), distinct=True)

    # ------------------------------------------------------------------ several tables

    def join(self, right: Table, join_predicate: Expression | None = None) -> Table:
        """An inner join; its condition, or more of it, may follow in `where`."""
        return self._joined("INNER", right, join_predicate)

    def left_outer_join(self, right: Table, join_predicate: Expression | None = None) -> Table:
        return self._joined("LEFT", right, join_predicate)

    def right_outer_join(self, right: Table, join_predicate: Expression) -> Table:
        return self._joined("RIGHT", right, join_predicate)

    def full_outer_join(self, right: Table, join_predicate: Expression) -> Table:
        return self._joined("FULL", right, join_predicate)

    def _joined(self, kind: str, right: Table, condition: Expression | None) -> Table:
        self.environment.check_own(right)
        twice = {column.name for column in self.columns} & {column.name for column in right.columns}
        if twice:
            raise SqlError(f"both sides of the join have a column {min(twice)!r}: rename one", here())
        sides = self._side(), right._side()
        given = () if condition is None else self.environment.expressions((condition,))
        node = given[0].node if given else ast.Literal("boolean", "TRUE", here())
        return another(self, ast.Select(all_columns(), ast.Join(kind, *sides, node, (), here()), here()))

    def _side(self) -> ast.Relation:
        """The right side of JOIN. A table by name stays one, so that a bound on the time between joined rows can bound
        the state."""
        relation, where = self.rows()
        is_name = isinstance(relation, ast.TableName) and where is None
        return relation if is_name else ast.Derived(self.query, self.query.at)

    def join_lateral(self, table_function_call: Any, join_predicate: Expression | None = None) -> Table:
        """Each row joined with those that a table function gives for it; a row without any is left out."""
        from airflow_nrt.table.tables.row_functions import joined_lateral

        return joined_lateral(self, table_function_call, "INNER", join_predicate)

    def left_outer_join_lateral(self, table_function_call: Any, join_predicate: Expression | None = None) -> Table:
        """The same, with NULLs for a row without any."""
        from airflow_nrt.table.tables.row_functions import joined_lateral

        return joined_lateral(self, table_function_call, "LEFT", join_predicate)

    def union_all(self, right: Table) -> Table:
        return self._combined("UNION", right, all_of_them=True)

    def union(self, right: Table) -> Table:
        return self._combined("UNION", right)

    def intersect(self, right: Table) -> Table:
        return self._combined("INTERSECT", right)

    def intersect_all(self, right: Table) -> Table:
        return self._combined("INTERSECT", right, all_of_them=True)

    def minus(self, right: Table) -> Table:
        return self._combined("EXCEPT", right)

    def minus_all(self, right: Table) -> Table:
        return self._combined("EXCEPT", right, all_of_them=True)

    def _combined(self, operator: str, right: Table, all_of_them: bool = False) -> Table:
        self.environment.check_own(right)
        return another(self, ast.SetOperation(operator, all_of_them, self.query, right.query, here()))

    # ------------------------------------------------------------------ order

    def order_by(self, *fields: Expression) -> Table:
        order = tuple(_order(one.node) for one in self.environment.expressions(fields))
        query = self.query
        by_columns = all(isinstance(item.expression, ast.Name) for item in order)
        if by_columns and isinstance(query, ast.Select) and not query.order and not counts_rows(query):
            return another(self, replace(query, order=order, at=here()))
        return selected(self, all_columns(), order=order)

    def fetch(self, fetch: int) -> Table:
        """The first rows, by the order if the table has one."""
        if checked("fetch takes a number of rows", fetch, int) < 0:
            raise wrong("fetch takes a number of rows", fetch)
        limit = ast.Literal("number", str(fetch), here())
        query = self.query
        if isinstance(query, ast.Select) and (query.order or query.offset) and query.limit is None:
            return another(self, replace(query, limit=limit))
        return selected(self, all_columns(), limit=limit)

    def offset(self, offset: int) -> Table:
        """All but the first rows, by the order if the table has one."""
        if checked("offset takes a number of rows", offset, int) < 0:
            raise wrong("offset takes a number of rows", offset)
        skipped = ast.Literal("number", str(offset), here())
        query = self.query
        if isinstance(query, ast.Select) and query.order and not counts_rows(query):
            return another(self, replace(query, offset=skipped))
        return selected(self, all_columns(), offset=skipped)

    def limit(self, fetch: int, offset: int = 0) -> Table:
        return (self.offset(offset) if offset else self).fetch(fetch)

    # ------------------------------------------------------------------ functions of rows

    def map(self, func: Any) -> Table:
        """One row for each row, by a scalar function of some columns, or of the whole row if the function is not
        called."""
        from airflow_nrt.table.tables.row_functions import mapped

        return mapped(self, func)

    def flat_map(self, func: Any) -> Table:
        """The rows that a table function gives for each row."""
        from airflow_nrt.table.tables.row_functions import flat_mapped

        return flat_mapped(self, func)

    def aggregate(self, func: Any) -> AggregatedTable[Table]:
        return self.group_by().aggregate(func)

    def flat_aggregate(self, func: Any) -> AggregatedTable[Table]:
        return self.group_by().flat_aggregate(func)

    # ------------------------------------------------------------------ groups and windows

    def group_by(self, *fields: Expression) -> GroupedTable[Table]:
        from airflow_nrt.table.tables.grouped import GroupedTable

        return GroupedTable(self, self.environment.expressions(fields))

    def window(self, window: GroupWindow) -> GroupWindowedTable[Table]:
        from airflow_nrt.table.tables.grouped import GroupWindowedTable
        from airflow_nrt.table.windows.windows import GroupWindow

        complete = (
            "window takes a window with its time and its alias, Tumble.over(lit(10).minutes).on(col('ts')).alias('w')"
        )
        return GroupWindowedTable(self, checked(complete, window, GroupWindow))

    def over_window(self, *windows: OverWindow) -> OverWindowedTable[Table]:
        from airflow_nrt.table.tables.over_windowed import OverWindowedTable
        from airflow_nrt.table.windows.windows import OverWindow

        complete = "over_window takes row windows with their order and alias, Over.order_by(col('ts')).alias('w')"
        for window in windows or (None,):
            checked(complete, window, OverWindow)
        return OverWindowedTable(self, windows)

    # ------------------------------------------------------------------ results

    def execute(self) -> TableResult:
        """Computes the rows, over bounded input. Raises InputError inside of a report, which only declares."""
        return self.environment.executed(self)

    def to_pandas(self) -> pandas.DataFrame:
        return self.execute().to_pandas()

    def execute_insert(
        self, table_path: str, overwrite: bool = False, options: OutputOptions | None = None
    ) -> Declaration:
        """Inserts the rows into a table, at the times that the options say."""
        check_overwrite(overwrite)
        return self.environment.add_insert(table_path, self, options)

    def insert_into(self, table_path: str, options: OutputOptions | None = None) -> TablePipeline:
        """The same, when it is executed: `insert_into("name").execute()`."""
        from airflow_nrt.table.tables.pipeline import TablePipeline

        return TablePipeline(self, table_path, options)

    def explain(self, as_json: bool = False) -> str:
        """The plan in words, or as JSON."""
        from airflow_nrt.table.tables.explained import explained

        return explained(self.environment.plan_of(self), as_json)

    def print_explain(self) -> None:
        print(self.explain())


def _item(column: ScopeColumn, name: str | None = None) -> ast.SelectItem:
    return ast.SelectItem(ast.Name((column.name,), here()), name)


def _name(item: ast.SelectItem) -> str:
    if not isinstance(item.expression, ast.Name):
        raise SqlError("a new column has an alias", here())
    return item.expression.parts[-1]


def _order(node: ast.Expression) -> ast.OrderItem:
    """NULL is the greatest value here, as in PyFlink, and the least in SQL, as in Flink's SQL."""
    if isinstance(node, ast.Call) and node.name in ("asc", "desc"):
        descending = node.name == "desc"
        return ast.OrderItem(node.arguments[0], descending, nulls_first=descending)
    return ast.OrderItem(node, False, nulls_first=False)
