"""Windowing table functions (FLIP-145): TUMBLE, HOP, CUMULATE, SESSION, with arguments by position or by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.windows import Length, Months, Window
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.expressions.intervals import interval_length
from airflow_nrt.sql.expressions.weeks import begin_of_weeks
from airflow_nrt.sql.expressions.window_functions import WINDOW_FUNCTIONS, WindowFunction
from airflow_nrt.sql.parse import ast
from airflow_nrt.sql.parse.unparse import text_of

_FLAG = ("EMITONLYONUPDATE", "EMIT_ONLY_ON_UPDATE")


@dataclass(frozen=True)
class Windowing:
    """A checked call: the table, the time column, the window, and the columns by which SESSION is partitioned."""

    relation: ast.Relation
    timecol: ast.Name
    window: Window
    partition: tuple[ast.Name, ...]


def read_windowing(call: ast.Call) -> Windowing:
    """The call, checked. Raises SqlError for wrong arguments, with Flink's message if Flink has one."""
    call, only_updates = _without_flag(call)
    function = WINDOW_FUNCTIONS.get(call.name)
    if function is None:
        raise SqlError(f"there is no table function {call.name}; TUMBLE, HOP, CUMULATE and SESSION are there", call.at)
    arguments = _by_name(function, call)
    relation = _relation(arguments["DATA"], call)
    timecol = _timecol(arguments["TIMECOL"])
    intervals = [arguments[name] for name in function.intervals if name in arguments]
    window = replace(_window(function, intervals, call), only_updates=only_updates)
    return Windowing(relation, timecol, window, _partition(arguments["DATA"], function))


def _without_flag(call: ast.Call) -> tuple[ast.Call, bool]:
    """The call without emitOnlyOnUpdate, which is the last argument of CUMULATE, and its value."""
    function = WINDOW_FUNCTIONS.get(call.name)
    if function is None or not function.has_flag:
        return call, False
    last = len(_parameters(function))
    flags = [
        (index, argument)
        for index, argument in enumerate(call.arguments)
        if (argument.name in _FLAG if isinstance(argument, ast.Named) else index == last)
    ]
    if not flags:
        return call, False
    index, argument = flags[0]
    value = argument.value if isinstance(argument, ast.Named) else argument
    if not (isinstance(value, ast.Literal) and value.kind == "boolean"):
        raise SqlError(f"emitOnlyOnUpdate is TRUE or FALSE, not {text_of(value)}", argument.at)
    rest = (*call.arguments[:index], *call.arguments[index + 1 :])
    return replace(call, arguments=rest), value.is_true


def window_of_group(call: ast.Call) -> Window:
    """The window of `GROUP BY TUMBLE(ts, …)`, whose lengths follow the time column. Raises SqlError."""
    return _window(WINDOW_FUNCTIONS[call.name], call.arguments[1:], call)


def _window(function: WindowFunction, intervals: Sequence[ast.Expression], call: ast.Call) -> Window:
    lengths = [_length(one) for one in intervals]
    own = len(function.lengths)
    if function.has_offset and _is_in_weeks(intervals[own - 1]):
        lengths = [*lengths[:own], _offset_of_weeks(*lengths[own:])]
    try:
        return function.window(*lengths)
    except InputError as wrong:
        raise SqlError(str(wrong), call.at) from None


def _is_in_weeks(size: ast.Expression) -> bool:
    return isinstance(size, ast.Interval) and size.unit == "WEEK"


def _offset_of_weeks(offset: Length = 0) -> Length:
    """The offset of windows that begin with a week."""
    return offset if isinstance(offset, Months) else begin_of_weeks() + offset


def _parameters(function: WindowFunction) -> tuple[str, ...]:
    return ("DATA", "TIMECOL", *function.intervals)


def _by_name(function: WindowFunction, call: ast.Call) -> dict[str, ast.Expression]:
    parameters = _parameters(function)
    least = len(parameters) - function.has_offset
    named = [argument for argument in call.arguments if isinstance(argument, ast.Named)]
    if named and len(named) < len(call.arguments):
        raise SqlError(f"{call.name}: name all arguments or none", call.at)
    if not named:
        if not least <= len(call.arguments) <= len(parameters):
            optional = ", and optionally OFFSET" if least < len(parameters) else ""
            raise SqlError(
                f"Invalid number of arguments to function '{call.name}'. Was expecting {least} arguments: "
                f"{', '.join(parameters[:least])}{optional}",
                call.at,
            )
        return dict(zip(parameters, call.arguments))
    given: dict[str, ast.Expression] = {}
    for argument in named:
        if argument.name not in parameters or argument.name in given:
            problem = "is given twice" if argument.name in given else "is none of its arguments"
            raise SqlError(f"{call.name}: {argument.name} {problem} ({', '.join(parameters)})", argument.at)
        given[argument.name] = argument.value
    missing = [name for name in parameters[:least] if name not in given]
    if missing:
        raise SqlError(f"{call.name}: the argument {missing[0]} is missing", call.at)
    return given


def _relation(argument: ast.Expression, call: ast.Call) -> ast.Relation:
    match argument:
        case ast.TableArgument(relation):
            return relation
        case ast.Name(parts):
            return ast.TableName(parts[-1], argument.at)
        case ast.Scalar(query):
            return ast.Derived(query, argument.at)
    raise SqlError(f"the first argument of {call.name} is a table: TABLE orders", argument.at)


def _partition(argument: ast.Expression, function: WindowFunction) -> tuple[ast.Name, ...]:
    keys = argument.partition if isinstance(argument, ast.TableArgument) else ()
    if keys and not function.is_partitioned:
        raise SqlError(
            "Only tables with set semantics may be partitioned. Invalid PARTITION BY clause in the 0-th "
            f"operand of table function '{function.name}'",
            argument.at,
        )
    names = tuple(key for key in keys if isinstance(key, ast.Name))
    if len(names) < len(keys):
        raise SqlError("PARTITION BY of SESSION takes columns: compute the key in a query below it", argument.at)
    return names


def _timecol(argument: ast.Expression) -> ast.Name:
    if not isinstance(argument, ast.Descriptor):
        raise SqlError("the time column is given as DESCRIPTOR(column)", argument.at)
    return argument.columns[0]


def _length(argument: ast.Expression) -> Length:
    if isinstance(argument, ast.Unary) and argument.operator == "-":
        return -_length(argument.operand)
    if not isinstance(argument, ast.Interval):
        raise SqlError(
            f"Only constant window descriptors are supported: write INTERVAL '10' MINUTES, not {text_of(argument)}",
            argument.at,
        )
    return interval_length(argument)
