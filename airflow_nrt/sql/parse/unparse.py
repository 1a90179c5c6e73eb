"""An expression back as text, for messages and for the names of columns."""

from __future__ import annotations

from airflow_nrt.sql.parse import ast

QUERY = "query as a value "
"""The prefix of the table of a query as a value. A number follows it."""

_STRENGTHS = {"OR": 1, "AND": 2, "+": 5, "-": 5, "||": 5, "*": 6, "/": 6, "%": 6}
"""How tightly binary operators bind. Comparisons have 4."""


def text_of(node: ast.Expression) -> str:
    """The expression on one line, as the report would write it."""
    match node:
        case ast.Name(_, _, str(written)):
            return written
        case ast.Name(parts):
            return "(…)" if parts[0].startswith(QUERY) else ".".join(parts)
        case ast.Star(table):
            return f"{table}.*" if table else "*"
        case ast.Literal(kind, text):
            if kind == "string":
                return "'" + text.replace("'", "''") + "'"
            if kind == "bytes":
                return f"X'{text}'"
            return f"{kind} '{text}'" if kind.isupper() else text
        case ast.Interval(text, unit, to_unit):
            return f"INTERVAL '{text}' {unit}" + (f" TO {to_unit}" if to_unit else "")
        case ast.Difference(end, start, unit, to_unit):
            return f"({text_of(end)} - {text_of(start)}) {unit}" + (f" TO {to_unit}" if to_unit else "")
        case ast.Unary(operator, operand):
            return f"{operator}{' ' if operator == 'NOT' else ''}{_inside(operand, node)}"
        case ast.Binary(operator, left, right):
            return f"{_inside(left, node)} {operator} {_inside(right, node, is_right=True)}"
        case ast.Between(operand, low, high, negated):
            return f"{_inside(operand, node)} {'NOT ' if negated else ''}BETWEEN {text_of(low)} AND {text_of(high)}"
        case ast.In(operand, values, _, negated):
            return f"{_inside(operand, node)} {'NOT ' if negated else ''}IN ({', '.join(map(text_of, values)) or '…'})"
        case ast.Is(operand, what, negated):
            return f"{_inside(operand, node)} IS {'NOT ' if negated else ''}{what}"
        case ast.Like(operand, pattern, _, negated, _, similar):
            word = "SIMILAR TO" if similar else "LIKE"
            return f"{_inside(operand, node)} {'NOT ' if negated else ''}{word} {text_of(pattern)}"
        case ast.Quantified(operand, operator, for_all):
            return f"{_inside(operand, node)} {operator} {'ALL' if for_all else 'ANY'} (…)"
        case ast.Exists():
            return "EXISTS (…)"
        case ast.Cast(operand, kind, fails):
            return f"{'CAST' if fails else 'TRY_CAST'}({text_of(operand)} AS {kind.flink})"
        case ast.Keyword(text):
            return text
        case ast.Call():
            return _call(node)
        case ast.Uuid():
            return "UUID()"
        case ast.Index(operand, index):
            return f"{text_of(operand)}[{text_of(index)}]"
        case ast.Dot(operand, name):
            return f"{text_of(operand)}.{name}"
        case ast.Case():
            return _case(node)
        case ast.Named(name, value):
            return f"{name} => {text_of(value)}"
        case _:
            return "(…)"


def over_text(call: ast.Call) -> str:
    """A call with its OVER."""
    over = call.over
    if over is None:
        return text_of(call)
    keys = f"PARTITION BY {', '.join(map(text_of, over.partition))}" if over.partition else ""
    order = f"ORDER BY {order_text(over.order)}" if over.order else ""
    frame = over.frame.text if over.frame is not None else ""
    return f"{_call(call)} OVER ({' '.join(part for part in (keys, order, frame) if part)})"


def column_of_call(name: str, call: ast.Call) -> ast.Name:
    """The column that has the results of a call with OVER. Messages have the call: "SUM(n) OVER (…)"."""
    return ast.Name((name,), call.at, f"{text_of(call)} OVER (…)")


def order_text(order: tuple[ast.OrderItem, ...]) -> str:
    return ", ".join(f"{text_of(item.expression)}{' DESC' if item.descending else ''}{_nulls(item)}" for item in order)


def _nulls(item: ast.OrderItem) -> str:
    return "" if item.nulls_first is None else f" NULLS {'FIRST' if item.nulls_first else 'LAST'}"


def _inside(part: ast.Expression, whole: ast.Expression, is_right: bool = False) -> str:
    """A part of an expression, in parentheses if it needs them."""
    own, outer = _strength(part), _strength(whole)
    same = is_right and own == outer and not (isinstance(part, ast.Binary) and part.operator in ("AND", "OR"))
    return f"({text_of(part)})" if own < outer or same else text_of(part)


def _strength(node: ast.Expression) -> int:
    """How tightly an expression binds its parts."""
    if isinstance(node, ast.Unary):
        return 3 if node.operator == "NOT" else 8
    if isinstance(node, ast.Binary):
        return _STRENGTHS.get(node.operator, 4)
    return 4 if isinstance(node, (ast.Between, ast.In, ast.Is, ast.Like, ast.Quantified)) else 9


def _case(node: ast.Case) -> str:
    operand = f" {text_of(node.operand)}" if node.operand is not None else ""
    branches = "".join(f" WHEN {text_of(when)} THEN {text_of(then)}" for when, then in node.branches)
    default = f" ELSE {text_of(node.default)}" if node.default is not None else ""
    return f"CASE{operand}{branches}{default} END"


def _call(call: ast.Call) -> str:
    arguments = ", ".join(map(text_of, call.arguments))
    if call.name.endswith("[ ]"):
        return f"{call.name[:-3]}[{arguments}]"
    text = f"{call.name}({'DISTINCT ' if call.distinct else ''}{arguments})"
    return f"{text} FILTER (WHERE {text_of(call.filter)})" if call.filter is not None else text
