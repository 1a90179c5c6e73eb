"""An expression back as text, for messages and for the names of columns."""

from __future__ import annotations

from airflow_nrt.sql import ast


def text_of(node: ast.Expression) -> str:
    """The expression on one line, as the report would write it."""
    match node:
        case ast.Name(parts):
            return ".".join(parts)
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
        case ast.Unary(operator, operand):
            return f"{operator} {text_of(operand)}" if operator == "NOT" else f"{operator}{text_of(operand)}"
        case ast.Binary(operator, left, right):
            return f"{text_of(left)} {operator} {text_of(right)}"
        case ast.Between(operand, low, high, negated):
            return f"{text_of(operand)} {'NOT ' if negated else ''}BETWEEN {text_of(low)} AND {text_of(high)}"
        case ast.In(operand, values, _, negated):
            return f"{text_of(operand)} {'NOT ' if negated else ''}IN ({', '.join(map(text_of, values)) or '…'})"
        case ast.Is(operand, what, negated):
            return f"{text_of(operand)} IS {'NOT ' if negated else ''}{what}"
        case ast.Like(operand, pattern, _, negated, _, similar):
            word = "SIMILAR TO" if similar else "LIKE"
            return f"{text_of(operand)} {'NOT ' if negated else ''}{word} {text_of(pattern)}"
        case ast.Cast(operand, kind, fails):
            return f"{'CAST' if fails else 'TRY_CAST'}({text_of(operand)} AS {kind.flink})"
        case ast.Keyword(text):
            return text
        case ast.Call():
            return _call(node)
        case ast.Index(operand, index):
            return f"{text_of(operand)}[{text_of(index)}]"
        case ast.Dot(operand, name):
            return f"{text_of(operand)}.{name}"
        case ast.Case():
            return "CASE … END"
        case ast.Named(name, value):
            return f"{name} => {text_of(value)}"
        case _:
            return "(…)"


def _call(call: ast.Call) -> str:
    arguments = ", ".join(map(text_of, call.arguments))
    if call.name.endswith("[ ]"):
        return f"{call.name[:-3]}[{arguments}]"
    text = f"{call.name}({'DISTINCT ' if call.distinct else ''}{arguments})"
    return f"{text} FILTER (WHERE {text_of(call.filter)})" if call.filter is not None else text
