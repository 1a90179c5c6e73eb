"""LATERAL TABLE(f(…)) and UNNEST(…): each row of the left side, with each row that an expression makes of it.

id  s            CROSS JOIN LATERAL TABLE(split(s)) AS t (word)      id  word
1   'a b'                                                            1   a
2   ''           LEFT JOIN … ON TRUE keeps it, with NULL             1   b
"""

from __future__ import annotations

from dataclasses import replace

from airflow_nrt.basics.errors import STOP_MARK
from airflow_nrt.basics.spelling import quote, string_literal
from airflow_nrt.basics.texts import counted
from airflow_nrt.basics.types import INT, DataType
from airflow_nrt.model.internal_columns import IDENTITY, KEY, NUMBER, POSITION
from airflow_nrt.model.row_semantics import AS_IN_FLINK, since
from airflow_nrt.sql.errors import NotThereYet, Place, SqlError
from airflow_nrt.sql.expressions.expressions import Compiler
from airflow_nrt.sql.expressions.functions.signature import bound
from airflow_nrt.sql.expressions.known_functions import known_functions
from airflow_nrt.sql.expressions.python_functions import call_function
from airflow_nrt.sql.expressions.scope import Scope, ScopeColumn
from airflow_nrt.sql.expressions.typed import Typed
from airflow_nrt.sql.kept_rows.buffered_rows import finished
from airflow_nrt.sql.logical.join import Lateral
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of
from airflow_nrt.sql.relations.findings import Findings
from airflow_nrt.sql.relations.join_sides import Named, side_columns
from airflow_nrt.sql.relations.relation import Relation

_POSITIONS, _DEEPEST = 2**18, 2
"""How many rows one row may become, and how often. 2^27 rows of a partition then have positions that fit BIGINT."""
_TOO_MANY = f"{STOP_MARK}LATERAL or UNNEST makes more than {_POSITIONS} rows of one, whose order is asked for"


def lateral(findings: Findings, node: ast.Join, right: ast.Lateral, left: Named) -> Relation:
    """The rows of the left side joined with those of the right, with their window and time. Raises SqlError.

    They are "(SELECT `shop` AS `o.shop`, _nrt_e AS `t.tag`, … FROM (SELECT *, posexplode(`tags`) AS (_nrt_n, _nrt_e)
    FROM `orders`))".
    """
    relation, alias = left
    _check(node)
    if relation.has_sessions:
        relation = finished(findings, relation)
    rows = _rows(Compiler(Scope(relation.columns, alias), place=relation.place), right)
    if any(relation.is_window_column(name) for name in rows.columns):
        relation = finished(findings, relation)
        rows = _rows(Compiler(Scope(relation.columns, alias), place=relation.place), right)
    findings.note_all_columns(relation)
    names = _names(right, rows.type)
    outer = node.kind == "LEFT"
    array, present = _elements(right, rows, outer)
    kept = side_columns(relation, alias)
    new = tuple(
        ScopeColumn(
            f"{right.alias or ''}.{name}", kind.with_nullable(outer or kind.nullable), table=right.alias, shown=name
        )
        for name, kind, _ in names
    )
    taken = {column.name for column in kept} & {column.name for column in new}
    if taken:
        raise SqlError(f"both sides of the join have the name {min(taken)!r}: give each side an alias", right.at)
    shown = [(a, b) for a, b in zip(relation.columns, kept) if relation.pending is None or a.role is None]
    items = [f"{quote(old.name)} AS {quote(column.name)}" for old, column in shown]
    items += [f"{sql} AS {quote(column.name)}" for (_, _, sql), column in zip(names, new)]
    items += [hidden_of_several(name, relation) for name in relation.hidden]
    explode = "posexplode_outer" if outer else "posexplode"
    text = (
        f"(SELECT {', '.join(items)} FROM (SELECT *, {explode}({array}) AS ({NUMBER}, _nrt_e) FROM {relation.text})"
        f"{present})"
    )
    columns = (*kept, *new)
    if node.kind == "INNER" and node.condition is not None:
        compiler = Compiler(Scope(columns), place=replace(relation, keys=(), scan=None).place)
        text = f"(SELECT * FROM {text} WHERE {compiler.condition(node.condition, 'ON').sql})"
    several = as_several(relation, text, columns, kept, right.at)
    return replace(several, node=Lateral(relation.node, node.kind, right.expression))


def as_several(
    relation: Relation, text: str, columns: tuple[ScopeColumn, ...], kept: tuple[ScopeColumn, ...], at: Place
) -> Relation:
    """The relation whose `text` makes several rows of one. `kept` are the columns of the row itself."""
    if relation.has_position and relation.laterals == _DEEPEST:
        raise NotThereYet("more than two LATERAL or UNNEST one after another", at)
    return replace(renamed(relation, text, columns, kept), laterals=relation.laterals + 1)


def renamed(relation: Relation, text: str, columns: tuple[ScopeColumn, ...], kept: tuple[ScopeColumn, ...]) -> Relation:
    """The relation whose `text` adds columns to its rows. `kept` are those of the row itself, under their new names."""
    shown = {old.name: column.name for old, column in zip(relation.columns, kept)}
    partition = relation.partition
    return replace(
        relation,
        text=text,
        columns=columns,
        scan=None,
        operator=None,
        keys=(),
        unique=(),
        partition=partition if partition is None else tuple(shown[name] for name in partition),
    )


def _check(node: ast.Join) -> None:
    if node.using or node.natural or node.kind not in ("CROSS", "INNER", "LEFT"):
        raise SqlError(f"{node.kind} JOIN of a table function: write CROSS JOIN, or LEFT JOIN … ON TRUE", node.at)
    condition = node.condition
    if node.kind == "LEFT" and not (isinstance(condition, ast.Literal) and condition.text.upper() == "TRUE"):
        raise SqlError("LEFT JOIN of a table function takes ON TRUE", condition.at if condition else node.at)


def _rows(compiler: Compiler, right: ast.Lateral) -> Typed:
    """The expression of the rows, as an array."""
    if right.of_function:
        call = right.expression
        assert isinstance(call, ast.Call)
        function = known_functions().get(call.name)
        if function is None or function.kind != "udtf":
            raise SqlError(f"{call.name} is no table function", call.at)
        arguments = [compiler.compile(argument) for argument in call.arguments]
        columns = frozenset[str]().union(*(argument.columns for argument in arguments))
        return replace(call_function(function, arguments, call.at, call.name), columns=columns)
    typed = compiler.compile(right.expression)
    if typed.type.name == "MAP":
        (_, key), (_, value) = typed.type.children
        entries = DataType("ARRAY", children=(("element", DataType("ROW", children=(("KEY", key), ("VALUE", value)))),))
        return typed.computed(f"CAST(map_entries({typed.sql}) AS {entries.spark})", entries)
    if typed.type.name != "ARRAY":
        raise SqlError(f"UNNEST wants an ARRAY or a MAP, {text_of(right.expression)} is {typed.type.flink}", right.at)
    return typed


def _elements(right: ast.Lateral, rows: Typed, outer: bool) -> tuple[str, str]:
    """SQL of the array whose elements become rows, and the condition that an element is one: " WHERE … IS NOT NULL".

    UNNEST makes no row of a ROW that is NULL itself, as in Flink. Of values, arrays and maps it makes one, and WITH
    ORDINALITY of rows of one field, too: to Flink these look like values. Where no element remains, the array is NULL,
    so that LEFT JOIN keeps the row of the left side. Rows of entries before `AS_IN_FLINK` have rows of all elements.
    """
    element = rows.type.children[0][1]
    looks_like_value = right.numbered and len(element.children) == 1
    if right.of_function or element.name != "ROW" or looks_like_value:
        return rows.sql, ""
    if not outer:
        return rows.sql, since(AS_IN_FLINK, " WHERE _nrt_e IS NOT NULL", "")
    array = bound(rows.sql, "IF(exists(_nrt_x, _nrt_v -> _nrt_v IS NOT NULL), _nrt_x, NULL)")
    present = since(AS_IN_FLINK, f" WHERE _nrt_e IS NOT NULL OR {NUMBER} IS NULL", "")
    return since(AS_IN_FLINK, array, rows.sql), present


def _names(right: ast.Lateral, kind: DataType) -> list[tuple[str, DataType, str]]:
    """The columns of a row: name, type, and SQL over `_nrt_e`. UNNEST of values has one column, named by its alias."""
    element = kind.children[0][1]
    if element.name == "ROW":
        fields = [(name, child, f"_nrt_e.{quote(name)}") for name, child in element.children]
    else:
        fields = [("EXPR$0" if right.of_function else right.alias or "EXPR$0", element, "_nrt_e")]
    if right.numbered:
        fields.append(("ORDINALITY", INT.with_nullable(False), f"{NUMBER} + 1"))
    if right.columns and len(right.columns) != len(fields):
        raise SqlError(
            f"the column list has {counted(len(right.columns), 'name')}, a row {counted(len(fields), 'column')}",
            right.at,
        )
    given = right.columns or [name for name, _, _ in fields]
    return [(name, child, sql) for name, (_, child, sql) in zip(given, fields)]


def hidden_of_several(name: str, relation: Relation) -> str:
    """A hidden column of the rows that a row becomes. Its position and its key also have the `NUMBER` of each."""
    number = f"coalesce({NUMBER}, 0)"
    if name in (KEY, IDENTITY):
        return f"concat({name}, ' ', {number}) AS {name}"
    if name != POSITION:
        return name
    path = [f"{POSITION}.path AS path"] if "_nrt_row" in relation.hidden else []
    position = f"IF({number} < {_POSITIONS}, {number}, raise_error({string_literal(_TOO_MANY)}))"
    row = f"{POSITION}.row * {_POSITIONS}L + {position} AS row"
    return f"struct({', '.join([f'{POSITION}.file AS file', f'{POSITION}.block AS block', row, *path])}) AS {POSITION}"
