"""Whatever a method is given: it works, or an error says what is wrong, in which line of the program."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from traceback import extract_tb
from typing import Any

import pytest

import airflow_nrt.table as api
from airflow_nrt.basics.errors import InputError
from airflow_nrt.table import (
    UNBOUNDED_ROW,
    Cumulate,
    DataTypes,
    Expression,
    Over,
    Session,
    SessionRows,
    Slide,
    SlideRows,
    Table,
    TableEnvironment,
    TimeIntervalUnit,
    Tumble,
    TumbleRows,
    col,
    lit,
    row_interval,
    udf,
)
from airflow_nrt.table.expressions.vocabulary import METHODS
from airflow_nrt.table.windows.windows import GroupWindow, OverWindow

ENVIRONMENT = TableEnvironment(base=Path("/data"))
ENVIRONMENT.execute_sql(
    "CREATE TABLE orders (ts TIMESTAMP(3), shop STRING, price INT, WATERMARK FOR ts AS ts) "
    "WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv')"
)
TABLE = ENVIRONMENT.from_path("orders")
WINDOW, ROW_WINDOW = Tumble.over(lit(5).seconds).on(col("ts")), Over.order_by(col("ts"))
FUNCTION = udf(lambda value: value, result_type="INT", name="own")
WRONG: dict[str, Any] = {
    "None": None, "1": 1, "-1": -1, "1.5": 1.5, "nan": float("nan"), "1j": 1j, "a text": "shop", "no text": "",
    "bytes": b"x", "a list": ["a"], "columns": [col("shop")], "()": (), "a dict": {"a": 1}, "a set": {1}, "...": ...,
    "True": True, "object": object(), "a class": object, "a module": operator, "a lambda": lambda value: value,
    "a method": TABLE.select, "Table": Table, "Tumble": Tumble, "a table": TABLE, "an environment": ENVIRONMENT,
    "no column": col("nope"), "*": col("*"), "an aggregate": col("price").sum, "two names": lit(1).alias("a", "b"),
    "a window": WINDOW.alias("w"), "half a window": WINDOW, "a row window": ROW_WINDOW.alias("o"),
    "groups": TABLE.group_by(col("shop")), "a function": FUNCTION, "a call": FUNCTION(col("price")),
    "a type": DataTypes.INT(), "no type": DataTypes.INT, "a unit": TimeIntervalUnit.DAY, "months": lit(2).months,
    "rows": row_interval(3), "a bound": UNBOUNDED_ROW, "backwards": lit(-5).minutes,
}  # fmt: skip
WINDOWED = TABLE.window(WINDOW.alias("w"))
PUBLIC: dict[str, Any] = {
    "a table": TABLE, "groups": TABLE.group_by(col("shop")), "a table with a window": WINDOWED,
    "groups of a window": WINDOWED.group_by(col("w"), col("shop")),
    "a table with row windows": TABLE.over_window(ROW_WINDOW.alias("o")),
    "an expression": col("price"), "Tumble": Tumble, "Slide": Slide,
    "Slide.over": Slide.over(lit(10).minutes), "Cumulate": Cumulate, "Cumulate.over": Cumulate.over(lit(10).minutes),
    "Session": Session, "a sized window": Tumble.over(lit(5).seconds), "a timed window": WINDOW, "Over": Over,
    "an ordered window": ROW_WINDOW, "Over.partition_by": Over.partition_by(col("shop")), "TumbleRows": TumbleRows,
    "TumbleRows.partition_by": TumbleRows.partition_by(col("shop")), "SessionRows": SessionRows,
    "SessionRows.partition_by": SessionRows.partition_by(col("shop")), "SlideRows": SlideRows,
    "SlideRows.partition_by": SlideRows.partition_by(col("shop")),
    "TumbleRows.over": TumbleRows.over(lit(5).minutes),
    "TumbleRows.on": TumbleRows.over(lit(5).minutes).on(col("ts")), "settings": ENVIRONMENT.get_config(),
    "inserts": ENVIRONMENT.create_statement_set(),
}  # fmt: skip
OF_ENVIRONMENT = (
    "create", "create_temporary_function", "create_temporary_view", "execute_sql", "from_path", "sql_query",
)  # fmt: skip
BESIDE = {"execute", "to_pandas", "print_schema", "rows", "width", "with_column", "make"}
"""What computes or prints, and doors between the modules."""
OPERATORS = "add sub mul truediv mod pow and_ or_ eq ne lt le gt ge getitem contains floordiv"


def methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    for what, of in PUBLIC.items():
        names = {name for name in dir(of) if not name.startswith("_")} - BESIDE
        for name in sorted({*names, *METHODS} if isinstance(of, Expression) else names):
            try:
                found = getattr(of, name)
            except InputError:
                continue
            if callable(found):
                yield f"{what}.{name}", found
    for name in OF_ENVIRONMENT:
        yield f"an environment.{name}", getattr(ENVIRONMENT, name)
    for name in api.__all__:
        if name[0].islower():
            yield name, getattr(api, name)
    for name in OPERATORS.split():
        yield name, getattr(operator, name)


METHODS_OF_ALL = dict(methods())


@pytest.mark.parametrize("method", METHODS_OF_ALL)
def test_a_wrong_argument_is_told_in_its_line(method: str) -> None:
    call = METHODS_OF_ALL[method]
    for wrong, value in WRONG.items():
        for arguments in (value,), (TABLE if method.startswith("a table.") else col("price"), value):
            try:
                use(call(*arguments))
            except InputError as told:
                message = str(told)
                # A text that is taken for SQL has places of its own.
                assert "test_wrong_arguments.py, line " in message or message.startswith("line 1, column "), wrong
                assert "airflow_nrt.table" not in message, (wrong, message)
            except TypeError as of_python:
                # The call itself has too many or too few arguments, or Python knows no such operator.
                inside = [frame for frame in extract_tb(of_python.__traceback__) if "airflow_nrt" in frame.filename]
                assert not inside, (wrong, arguments)


def use(result: Any) -> None:
    if isinstance(result, Expression):
        TABLE.select(result)
    elif isinstance(result, GroupWindow):
        TABLE.window(result).group_by(col(result.name)).select(col("price").sum)
    elif isinstance(result, OverWindow):
        TABLE.over_window(result).select(col("price").sum.over(col(result.name)))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: TABLE.groupBy, "no column, 'groupBy'; did you mean 'group_by'?"),
        (lambda: TABLE.to_panda(), "did you mean 'to_pandas'?"),
        (lambda: col("price").isNull, "did you mean 'is_null'?"),
        (lambda: TABLE.group_by(col("shop")).sum, "group_by is no table yet: it goes on with .select(…)"),
        (lambda: WINDOWED.select(col("price").sum), "window is no table yet: it goes on with .group_by(col('w'))"),
        (lambda: Tumble.over(lit(5).seconds).alias("w"), "a window goes on with .on(col('ts'))"),
        (lambda: Slide.over(lit(5).seconds).on(col("ts")), "goes on with .every("),
        (lambda: Over.partition_by(col("shop")).preceding(row_interval(1)), "goes on with .order_by(col('ts'))"),
        (lambda: TABLE.window(Tumble), "window takes a window with its time and its alias, Tumble"),
        (lambda: TABLE.window(Tumble), "not the class Tumble"),
        (lambda: TABLE.select(TABLE.filter), "a column of this name is col('where')"),
        (lambda: TABLE.select(FUNCTION), "before it is called with columns, own(col('a'))"),
        (lambda: col("price").cast("STRING"), "a type is needed, such as DataTypes.INT(), not 'STRING'"),
        (lambda: col("price").cast(DataTypes.INT), "not the function INT itself"),
        (lambda: col(3), "col takes the name of a column, as in col('a'), not 3"),
        (lambda: lit(UNBOUNDED_ROW), "UNBOUNDED_ROW is no value, it is a bound of a row window"),
        (lambda: col("shop")[1], "an element of an array or a map is .at(1)"),
        (lambda: 1 in col("price"), "write col('a').in_(1, 2)"),
        (lambda: [*col("price")], "an expression is one value"),
        (lambda: TABLE.union_all(TABLE.group_by(col("shop"))), "as from_path('name') gives, not this GroupedTable"),
        (lambda: udf(col("shop")), "or an instance of a class of functions, not shop"),
        (
            lambda: ENVIRONMENT.create_temporary_function("f", col("shop")),
            "takes a function, as @udf declares one, not",
        ),
        (lambda: udf(3), "udf takes a function, or an instance of a class of functions, not 3"),
    ],
)
def test_the_way_out_is_told(wrong: Callable[[], Any], told: str) -> None:
    with pytest.raises(InputError) as refused:
        wrong()
    assert told in str(refused.value)
    assert "test_wrong_arguments.py, line " in str(refused.value)


def test_python_may_still_ask() -> None:
    """Whether there is a name, or something to go through: other libraries do."""
    assert not hasattr(TABLE, "nope") and not hasattr(col("a"), "nope") and not hasattr(WINDOWED, "nope")
    with pytest.raises(TypeError):
        iter(col("a"))
