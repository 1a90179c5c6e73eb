"""Python functions in a Spark session, each with a guard: it says which call failed, and lets no wrong type pass."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession

from airflow_nrt.report.errors import STOP_MARK
from airflow_nrt.report.functions import PythonFunction, file_of, load_function
from airflow_nrt.report.plan import Plan
from airflow_nrt.report.types import INTEGER_LIMITS, DataType

_CLASSES: dict[str, tuple[type, ...]] = {
    "BOOLEAN": (bool,), "STRING": (str,), "VARCHAR": (str,), "CHAR": (str,), "BYTES": (bytes, bytearray),
    "FLOAT": (float, int), "DOUBLE": (float, int), "DECIMAL": (Decimal, int),
    "DATE": (date,), "TIMESTAMP": (datetime,), **dict.fromkeys(INTEGER_LIMITS, (int,)),
}  # fmt: skip


def register_functions(spark: SparkSession, plan: Plan) -> None:
    """Makes the plan's functions known to the session. Raises InputError if one is not there any more."""
    base = Path(plan.base)
    for function in plan.functions:
        module = function.target.rpartition(".")[0]
        found = load_function(function.target, base)
        if file_of(module, base) is not None:
            # A module beside the report is nowhere on the executors: it travels inside of the function.
            cloudpickle.register_pickle_by_value(sys.modules[module.partition(".")[0]])  # type: ignore[no-untyped-call]
        spark.udf.register(function.spark_name, guarded(function, found), function.result.spark)


def guarded(function: PythonFunction, found: Callable[..., Any]) -> Callable[..., Any]:
    """The function as Spark calls it. It is pickled whole: executors need nothing of this package."""
    names = [parameter.name for parameter in function.parameters]
    never_null = [n for n, parameter in enumerate(function.parameters) if not parameter.type.nullable]
    label, convert, mark = function.name, _conversion(function.result), STOP_MARK

    def call(*arguments: Any) -> Any:
        if any(arguments[n] is None for n in never_null if n < len(arguments)):
            return None
        try:
            result = found(*arguments)
            return None if result is None else convert(result)
        except Exception as failure:
            row = ", ".join(f"{name}={value!r}" for name, value in zip(names, arguments))
            raise RuntimeError(f"{mark}function {label}({row}) raised {type(failure).__name__}: {failure}") from failure

    return call


def _conversion(kind: DataType) -> Callable[[Any], Any]:
    """From what a function gives to what Spark takes. Spark would make NULL of a value of another class."""
    name, classes, text = kind.name, _CLASSES.get(kind.name, (object,)), kind.flink
    limit, milliseconds = INTEGER_LIMITS.get(kind.name, 0), (kind.precision or 0) <= 3

    def convert(value: Any) -> Any:
        fits = isinstance(value, classes) and (name == "BOOLEAN" or not isinstance(value, bool) or classes == (object,))
        if not fits or (name == "DATE" and isinstance(value, datetime)):
            raise TypeError(f"the result {value!r} is no {text}")
        if limit and not -limit - 1 <= value <= limit:
            raise OverflowError(f"the result {value!r} does not fit {text}")
        if name in ("FLOAT", "DOUBLE"):
            return float(value)
        if name == "DECIMAL":
            return Decimal(value)
        if name == "TIMESTAMP":
            if value.tzinfo is not None:
                raise TypeError(f"the result {value!r} has a zone, a TIMESTAMP has none: leave it out")
            return value.replace(microsecond=value.microsecond // 1000 * 1000) if milliseconds else value
        return value

    return convert
