"""Python functions: their declaration, their types, their calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.times_of_day import SPARK_TIME, as_spark_time, of_spark_time, times_as, with_times
from airflow_nrt.basics.types import DataType
from airflow_nrt.functions import Declared, UserDefinedFunction
from airflow_nrt.functions.declared import KINDS
from airflow_nrt.functions.kinds import AggregateFunction, ImperativeAggregate, TableAggregateFunction
from airflow_nrt.program.functions import Parameter, PythonFunction, code_of, fingerprint, load_function
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.aggregates import AGGREGATES
from airflow_nrt.sql.expressions.annotations import hinted, hinted_rows, hints_of, row_of, written
from airflow_nrt.sql.expressions.functions import FUNCTIONS
from airflow_nrt.sql.expressions.functions.clock import CLOCK_FUNCTIONS
from airflow_nrt.sql.expressions.functions.signature import any_nullable, check_count
from airflow_nrt.sql.expressions.typed import Typed, as_decimal
from airflow_nrt.sql.parse import parsed

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def declare_function(statement: parsed.CreateFunction, base: Path) -> PythonFunction:
    """Imports the function of a CREATE FUNCTION and reads its types. Raises SqlError if either is missing."""
    name = statement.name.upper()
    if name in FUNCTIONS or name in CLOCK_FUNCTIONS or name in AGGREGATES:
        raise SqlError(f"there is a built-in function {name}: give yours another name", statement.at)
    try:
        declared = as_declared(load_function(statement.target, base), statement.target)
    except (InputError, TypeError, ValueError) as wrong:
        raise SqlError(f"function {statement.name!r}: {wrong}", statement.at) from None
    try:
        return python_function(declared, statement.name, statement.target, base)
    except (TypeError, ValueError) as wrong:
        raise SqlError(f"function {statement.name!r} ({statement.target}): {wrong}", statement.at) from None


def own_function(statement: parsed.DeclaredFunction) -> PythonFunction:
    """A function that the program itself defines. Raises SqlError if it has no types."""
    code = code_of(statement.declared.function)
    target = f"{code.__module__}.{code.__qualname__}"
    try:
        return python_function(statement.declared, statement.name, target, statement.modules)
    except (TypeError, ValueError) as wrong:
        raise SqlError(f"function {statement.declared.title!r}: {wrong}", statement.at) from None


def as_declared(function: Any, target: str) -> Declared:
    """An object of a module as a declaration. Raises TypeError or ValueError if it is no function."""
    if isinstance(function, Declared):
        return function
    if isinstance(function, type) and issubclass(function, UserDefinedFunction):
        function = function()
    if isinstance(function, UserDefinedFunction):
        kind = next((kind for kind, one in KINDS.items() if isinstance(function, one)), None)
        if kind is None:
            raise TypeError(f"{target!r} is no function: inherit from {', '.join(k.__name__ for k in KINDS.values())}")
        return Declared(kind, function)
    if not callable(function) or isinstance(function, type):
        raise TypeError(f"{target!r} is no function: write def {target.rpartition('.')[2]}(…)")
    return Declared("udf", function)


def python_function(declared: Declared, name: str, target: str, base: Path) -> PythonFunction:
    """The function with its SQL types. Raises ValueError if a type is missing or is no SQL type."""
    call = declared.call
    parameters, required, variadic = _parameters(declared, call)
    result, accumulator = _result(declared), _accumulator(declared)
    return PythonFunction(
        name=name,
        target=target,
        kind=declared.kind,
        parameters=parameters,
        required=required,
        result=result,
        source=fingerprint(declared.function, (parameters, result, accumulator), base),
        variadic=variadic,
        accumulator=accumulator,
        is_pandas=declared.is_pandas,
        found=declared,
    )


# ---------------------------------------------------------------------------------------------------- its types


def _parameters(declared: Declared, call: Callable[..., Any]) -> tuple[tuple[Parameter, ...], int, bool]:
    """The parameters for the values of a row, how many are required, and whether the last one is variadic."""
    signature = [one for one in inspect.signature(call).parameters.values() if not _may_stay_away(one)]
    if isinstance(declared.function, ImperativeAggregate):
        del signature[:1]
    types = _parameter_types(declared, call, signature)
    parameters, required, variadic = [], 0, False
    for parameter in signature:
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL and types[parameter.name] is None:
            variadic = True
        elif parameter.kind not in _BY_POSITION:
            raise ValueError(f"{parameter} is not given by position: name each parameter")
        else:
            required += parameter.default is parameter.empty
        parameters.append(Parameter(parameter.name, types[parameter.name]))
    return tuple(parameters), required, variadic


def _may_stay_away(parameter: inspect.Parameter) -> bool:
    """Whether a parameter can be given by name only, and is optional."""
    named = parameter.kind is parameter.KEYWORD_ONLY and parameter.default is not parameter.empty
    return named or parameter.kind is parameter.VAR_KEYWORD


def _parameter_types(
    declared: Declared, call: Callable[..., Any], signature: Sequence[inspect.Parameter]
) -> dict[str, DataType | None]:
    """The types by name, None if a parameter takes any type. Annotations count only if no types were declared."""
    names = [parameter.name for parameter in signature]
    if declared.input_types is not None:
        if len(declared.input_types) != len(names):
            raise ValueError(f"input_types are {len(declared.input_types)}, it has {len(names)} parameters")
        return {name: written(kind, name) for name, kind in zip(names, declared.input_types)}
    if declared.is_pandas or _declared_result(declared) is not None:
        return dict.fromkeys(names)
    hints = hints_of(call)
    if not isinstance(declared.function, ImperativeAggregate):
        for parameter in signature:
            if parameter.kind in _BY_POSITION and parameter.name not in hints:
                raise ValueError(
                    f"the parameter {parameter.name!r} has no annotation: write for example {parameter.name}: int"
                )
    return {name: hinted(hints[name], name) if name in hints else None for name in names}


def _declared_result(declared: Declared) -> Any:
    """The declared type of the result, None if it was not declared."""
    if declared.result_type is None and isinstance(declared.function, ImperativeAggregate):
        return declared.function.get_result_type()
    return declared.result_type


def _result(declared: Declared) -> DataType:
    result_type, what = _declared_result(declared), "the result"
    of_rows = declared.kind in ("udtf", "udtaf")
    if result_type is None:
        return _hinted_result(declared, what, hinted_rows if of_rows else hinted)
    if of_rows and isinstance(result_type, (list, tuple)):
        return row_of([written(kind, what) for kind in result_type])
    kind = written(result_type, what)
    if of_rows:
        return kind.with_nullable(False) if kind.name == "ROW" else row_of([kind])
    return kind


def _hinted_result(declared: Declared, what: str, read: Callable[[Any, str], DataType]) -> DataType:
    function: Any = declared.function
    call = declared.call
    if isinstance(function, AggregateFunction):
        call = function.get_value
    elif isinstance(function, TableAggregateFunction):
        call = function.emit_value
    hints = {} if declared.is_pandas else hints_of(call)
    if "return" not in hints or _is_inherited(call):
        example = "-> Iterator[tuple[str, int]]" if read is hinted_rows else "-> int | None"
        ways = f"write for example {example}, or declare its result type"
        raise ValueError(f"its result has no annotation: {ways}")
    return read(hints["return"], what)


def _accumulator(declared: Declared) -> DataType | None:
    """The type of the accumulator, as Spark keeps it. None if the function has no `merge`."""
    function = declared.function
    if not isinstance(function, ImperativeAggregate) or not function.merges:
        return None
    accumulator_type = declared.accumulator_type or function.get_accumulator_type()
    if accumulator_type is not None:
        return times_as(written(accumulator_type, "the accumulator"), SPARK_TIME)
    hints = hints_of(function.create_accumulator)
    if "return" not in hints or _is_inherited(function.create_accumulator):
        raise ValueError(
            "it has merge, but its accumulator has no type: write get_accumulator_type, or for example "
            "def create_accumulator(self) -> list[int]"
        )
    return times_as(hinted(hints["return"], "the accumulator"), SPARK_TIME)


def _is_inherited(method: Callable[..., Any]) -> bool:
    """Whether a method is that of the base class, whose annotations are not the function's."""
    return getattr(method, "__module__", None) == ImperativeAggregate.__module__


# ---------------------------------------------------------------------------------------------------- calls


def call_function(function: PythonFunction, arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """A call in an expression. A table function returns an array of rows there.

    _nrt_doubled_ed519cbd9b4a(`price`)
    """
    values = accepted(function, arguments, at, name)
    kind = function.value_type
    sql = with_times(
        f"{function.spark_name}({', '.join(value.sql for value in values)})", function.value_type, of_spark_time
    )
    not_null = [arguments[n] for n in function.asks_not(len(values))]
    return Typed(sql, kind.with_nullable(kind.nullable or any_nullable(not_null)))


def accepted(function: PythonFunction, arguments: Sequence[Typed], at: Place, name: str) -> list[Typed]:
    """The arguments, cast to the types of the parameters where Flink casts implicitly. Raises SqlError otherwise."""
    most = None if function.variadic else len(function.parameters)
    check_count(arguments, at, name, function.required, most)
    return [_for_python(_argument(one, function.parameter(n), at, name)) for n, one in enumerate(arguments)]


def _for_python(value: Typed) -> Typed:
    """A value with Spark's times, which become Python's."""
    return value.computed(with_times(value.sql, value.type, as_spark_time), times_as(value.type, SPARK_TIME))


def _argument(argument: Typed, parameter: Parameter, at: Place, name: str) -> Typed:
    given, wanted = argument.type, parameter.type
    if given.holds("TIMESTAMP_LTZ", "INTERVAL") and wanted is None:
        raise SqlError(
            f"the parameter {parameter.name!r} of {name} is given {given.flink}, which Python functions do not take: "
            "CAST it to TIMESTAMP or BIGINT",
            at,
        )
    if given.name == "NULL":
        kind = wanted or DataType("STRING")
        return argument.computed(f"CAST(NULL AS {kind.spark})", kind.with_nullable(True))
    if wanted is None:
        return argument
    if wanted.name == "DECIMAL" and (given.is_integer or given.name == "DECIMAL"):
        return _as(argument, as_decimal(given))
    if given.is_numeric and wanted.is_numeric:
        if given.is_integer and wanted.is_integer:
            fits = given.digits <= wanted.digits
        else:
            fits = wanted.name == "DOUBLE" or (wanted.name == "FLOAT" and given.name != "DOUBLE")
        if fits:
            return _as(argument, wanted)
    alike = (
        (given.is_string and wanted.is_string)
        or (given.is_bytes and wanted.is_bytes)
        or (given.name == wanted.name and given.name in ("TIME", "TIMESTAMP"))
    )
    if alike or replace(given, nullable=True) == replace(wanted, nullable=True):
        return argument
    raise SqlError(
        f"the parameter {parameter.name!r} of {name} is {wanted.flink}, the argument is {given.flink}: CAST it", at
    )


def _as(argument: Typed, kind: DataType) -> Typed:
    """The argument as another type of number.

    >>> print(_as(Typed("`n`", DataType("INT")), DataType("BIGINT")).sql)
    CAST(`n` AS BIGINT)
    """
    nullable = argument.type.nullable
    return argument.computed(f"CAST({argument.sql} AS {kind.spark})", kind.with_nullable(nullable))


def are_same(one: PythonFunction, other: PythonFunction) -> bool:
    """Whether two declarations are of one function, under any names."""
    return one == replace(other, name=one.name) and one.found.function is other.found.function
