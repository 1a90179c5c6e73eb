"""CREATE FUNCTION … LANGUAGE PYTHON, as `check` sees it: types come from annotations, and what is wrong has a place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.home.identity.fingerprint import fingerprint
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import SqlError, SqlErrors
from airflow_nrt.sql.planner import plan_query
from tests.python_modules import write_module

MODULE = """
    from __future__ import annotations
    from datetime import date, datetime
    from decimal import Decimal
    from typing import Annotated, Optional

    def every(a: bool, b: int, c: float, d: str, e: Decimal, f: date, g: datetime) -> bytes: return b""
    def later(at: datetime, kind: str | None = None) -> int | None: return None
    def maybe(n: Optional[int]) -> Optional[float]: return None
    def exact(n: Annotated[int, "INT"], p: Decimal | None) -> Annotated[Decimal | None, "DECIMAL(10, 2)"]: return p
    def listed(s: str) -> Annotated[list[str], "ARRAY<STRING>"]: return [s]
    def bare(n): return n
    def half(n: int): return n
    def many(*n: int) -> int: return 0
    def odd(n: complex) -> int: return 0
    def instant(at: Annotated[datetime, "TIMESTAMP_LTZ(3)"]) -> int: return 0
    def typo(n: Annotated[int, "INTT"]) -> int: return 0
    def lost(n: Nowhere) -> int: return 0
    class Thing: pass

    from collections.abc import Iterator
    from airflow_nrt.functions import UserDefinedFunction
    from airflow_nrt.table.functions import *
    anything = udf(lambda *values: 1, result_type="INT", input_types=None)
    chosen = udf(lambda a, b=0: 1, result_type=DataTypes.DECIMAL(10, 2), input_types=["INT", DataTypes.STRING()])
    crooked = udf(lambda a: 1, result_type=3)
    few = udf(lambda a, b: 1, result_type="INT", input_types="INT")
    def words(s: str) -> Iterator[tuple[str, int]]: yield s, 1
    words = udtf(words)
    lines = udtf(lambda s: [s], result_types="STRING")
    class Base(AggregateFunction):
        def create_accumulator(self) -> dict[str, int]: return {}
        def accumulate(self, acc, k: str, n): pass
        def get_value(self, acc) -> list[int]: return []
    class Merging(Base):
        def merge(self, acc, others): pass
    class Untyped(Merging):
        def create_accumulator(self): return {}
    class Silent(Base):
        def get_value(self, acc): return 1
    class Top(Merging, TableAggregateFunction):
        def get_result_type(self): return "ROW<n INT>"
    class Best(TableAggregateFunction):
        def create_accumulator(self): return []
        def accumulate(self, acc, n: int): pass
        def emit_value(self, acc) -> list[int]: return acc
    class Neither(UserDefinedFunction): pass
    import functools
    from typing import TYPE_CHECKING, Any
    from airflow_nrt.functions import Row
    if TYPE_CHECKING:
        from nowhere import Unknown
    @udf(result_type="ROW<a INT>")
    def rows(r: Row) -> Row: return r
    @udf(result_type="BIGINT")
    def some(x: Any, y: Unknown = None) -> Unknown: return x
    @udf(result_type="BIGINT")
    def loose(x: int) -> float: return x
    class Adding:
        def __init__(self, n): self.n = n
        def __call__(self, v: int) -> int: return v + self.n
        def eval(self): raise NotImplementedError
    def plus(a: int, b: int, *, c: int = 0, **more: complex) -> int: return a + b + c
    adding, adding_too = Adding(3), udf(Adding(4), result_type="INT")
    part, part_too = functools.partial(plus, 1), udf(functools.partial(functools.partial(plus, 1), c=2))
    averaged = udaf(lambda v: v.mean(), result_type="DOUBLE", func_type="pandas")
"""
COLUMNS = (
    "i INT, b BIGINT, d DECIMAL(10, 3), x DOUBLE, s STRING, ok BOOLEAN, ts TIMESTAMP(3), "
    "dt DATE, at TIMESTAMP_LTZ(3) NOT NULL, k INT NOT NULL"
)
TABLE = f"CREATE TABLE t ({COLUMNS}) WITH ('connector' = 'filesystem', 'path' = 't', 'format' = 'json');"


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    place = tmp_path_factory.mktemp("report")
    return place, write_module(place, MODULE)


def plan(module: tuple[Path, str], function: str, expression: str, name: str = "f") -> Plan:
    place, file = module
    target = function if "." in function else f"{file}.{function}"
    return plan_query(
        f"CREATE FUNCTION {name} AS '{target}' LANGUAGE PYTHON;\n{TABLE}", f"SELECT {expression} FROM t", place
    )


@pytest.mark.parametrize(
    ("function", "call", "kind"),
    [
        ("every", "f(ok, b, x, s, d, dt, ts)", "BYTES"),
        ("every", "f(TRUE, 1, 2, 'a', 3, DATE '2026-01-01', TIMESTAMP '2026-01-01 00:00:00')", "BYTES NOT NULL"),
        ("every", "f(ok, i, d, s, i, dt, ts)", "BYTES"),
        ("later", "f(ts)", "BIGINT"),
        ("later", "F(ts, s)", "BIGINT"),
        ("maybe", "f(k)", "DOUBLE"),
        ("maybe", "f(NULL)", "DOUBLE"),
        ("exact", "f(i, d)", "DECIMAL(10, 2)"),
        ("listed", "f('a')[1]", "STRING"),
        ("anything", "f(i, s, NULL)", "INT"),
        ("anything", "f()", "INT"),
        ("chosen", "f(k)", "DECIMAL(10, 2)"),
        ("rows", "f(i)", "ROW<`a` INT>"),
        ("some", "f(s)", "BIGINT"),
        ("loose", "f(d)", "BIGINT"),
        ("loose", "f(k)", "BIGINT"),
        ("adding", "f(i)", "BIGINT"),
        ("adding_too", "f(d)", "INT"),
        ("part", "f(k)", "BIGINT NOT NULL"),
        ("part_too", "f(i)", "BIGINT"),
        ("Base", "f(s, i)", "ARRAY<BIGINT NOT NULL> NOT NULL"),
        ("averaged", "f(i)", "DOUBLE"),
        ("Best", "f(i)", "ARRAY<ROW<`f0` BIGINT NOT NULL> NOT NULL> NOT NULL"),
    ],
)
def test_types_are_those_of_the_annotations(module, function: str, call: str, kind: str) -> None:
    one = plan(module, function, f"{call} AS c")
    assert str(one.inserts[0].query.fields[0].type) == kind
    assert [known.target for known in one.functions] == [f"{module[1]}.{function}"]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            "nowhere.f",
            r"1:1: function 'f': there is no Python module 'nowhere': put nowhere.py into /.*, or install it",
        ),
        ("every.f.g", "1:1: function 'f': there is no Python module 'every'"),
        ("gone", "1:1: function 'f': the Python module '.*' has no function 'gone'"),
        ("Thing", r"1:1: function 'f': '.*\.Thing' is no function: write def Thing"),
        ("bare", r"1:1: function 'f' \(.*bare\): the parameter 'n' has no annotation: write for example n: int"),
        ("half", "its result has no annotation: write for example -> int | None"),
        ("many", r"\*n: .*int.* is not given by position: name each parameter"),
        ("odd", "n is <class 'complex'>, which is no SQL type: there are bool, int, float, str, bytes, Decimal"),
        ("instant", r"at is TIMESTAMP_LTZ\(3\), which Python functions do not take: use TIMESTAMP or BIGINT"),
        ("typo", "n is 'INTT': there is no type INTT"),
        ("lost", "its annotations can't be read: name 'Nowhere' is not defined"),
        ("crooked", "the result is 3: write DataTypes.BIGINT\\(\\), or 'BIGINT'"),
        ("few", "input_types are 1, it has 2 parameters"),
        ("Untyped", "it has merge, but its accumulator has no type: write get_accumulator_type, or for example"),
        ("Silent", "its result has no annotation: write for example -> int | None, or declare its result type"),
        ("Neither", "is no function: inherit from ScalarFunction, TableFunction, AggregateFunction, TableAgg"),
    ],
)
def test_what_is_wrong_with_a_declaration(module, function: str, message: str) -> None:
    """The error is reported once, not again where the function is called."""
    with pytest.raises(SqlError) as wrong:
        plan(module, function, "f(i)")
    at = wrong.value.at
    assert re.search(message, f"{at.line}:{at.column}: {wrong.value.message}"), wrong.value.message


@pytest.mark.parametrize(
    ("function", "call", "message"),
    [
        ("later", "f()", "1:8: F takes 1 to 2 arguments, here are 0"),
        ("later", "f(ts, s, s)", "1:8: F takes 1 to 2 arguments, here are 3"),
        ("later", "f(at)", "1:8: the parameter 'at' of F is TIMESTAMP(3), the argument is TIMESTAMP_LTZ(3): CAST it"),
        ("later", "f(ts, i)", "1:8: the parameter 'kind' of F is STRING, the argument is INT: CAST it"),
        ("exact", "f(b, d)", "1:8: the parameter 'n' of F is INT, the argument is BIGINT: CAST it"),
        ("maybe", "f(x)", "1:8: the parameter 'n' of F is BIGINT, the argument is DOUBLE: CAST it"),
        ("maybe", "ff(i)", "1:8: there is no function FF; did you mean 'F'?"),
        (
            "anything",
            "f(at)",
            "1:8: the parameter 'values' of F is given TIMESTAMP_LTZ(3), which Python functions do not "
            "take: CAST it to TIMESTAMP or BIGINT",
        ),
        ("words", "f(s)", "1:8: F is a table function: write CROSS JOIN LATERAL TABLE(F(…))"),
        (
            "Base",
            "f(DISTINCT s, MAP['a', 1])",
            "1:8: values of ROW<`c0` STRING, `c1` MAP<CHAR(1) NOT NULL, INT NOT NULL>> can't be compared, as DISTINCT "
            "asks for",
        ),
        ("Base", "f(i, i)", "1:8: the parameter 'k' of F is STRING, the argument is INT: CAST it"),
    ],
)
def test_what_is_wrong_with_a_call(module, function: str, call: str, message: str) -> None:
    with pytest.raises(SqlError) as wrong:
        plan(module, function, call)
    assert f"{wrong.value.at.line}:{wrong.value.at.column}: {wrong.value.message}" == message


def test_names(module) -> None:
    with pytest.raises(SqlError, match="there is a built-in function UPPER: give yours another name"):
        plan(module, "maybe", "1", name="upper")
    place, file = module
    twice = f"CREATE TEMPORARY SYSTEM FUNCTION f AS '{file}.maybe' LANGUAGE PYTHON;\n" * 2
    with pytest.raises(SqlError, match="function 'f' exists already"):
        plan_query(twice + TABLE, "SELECT f(i) FROM t", place)
    again = twice.replace("FUNCTION", "FUNCTION IF NOT EXISTS")
    assert len(plan_query(again + TABLE, "SELECT f(i) FROM t", place).functions) == 1


@pytest.mark.parametrize(
    ("function", "relation", "message"),
    [
        (
            "words",
            "t CROSS JOIN LATERAL TABLE(f(i)) AS w",
            "the parameter 's' of F is STRING, the argument is INT: CAST it",
        ),
        ("words", "t CROSS JOIN LATERAL TABLE(f(s)) AS w (a)", "the column list has 1 name, a row 2 columns"),
        ("words", "t LEFT JOIN LATERAL TABLE(f(s)) AS w ON i > 1", "LEFT JOIN of a table function takes ON TRUE"),
        (
            "words",
            "t FULL JOIN LATERAL TABLE(f(s)) AS w ON TRUE",
            "FULL JOIN of a table function: write CROSS JOIN, or LEFT JOIN … ON TRUE",
        ),
        ("maybe", "t, LATERAL TABLE(f(i)) AS w", "F is no table function"),
        (
            "lines",
            "t, LATERAL TABLE(f(s)) AS t (s)",
            "both sides of the join have the name 't.s': give each side an alias",
        ),
        ("lines", "t, UNNEST(i) AS w", "UNNEST wants an ARRAY or a MAP, i is INT"),
    ],
)
def test_what_is_wrong_with_a_lateral(module, function: str, relation: str, message: str) -> None:
    place, file = module
    ddl = f"CREATE FUNCTION f AS '{file}.{function}' LANGUAGE PYTHON;\n{TABLE}"
    with pytest.raises(SqlError) as wrong:
        plan_query(ddl, f"SELECT i FROM {relation}", place)
    assert message in wrong.value.message


def test_the_columns_of_a_lateral(module) -> None:
    place, file = module
    ddl = f"CREATE FUNCTION f AS '{file}.words' LANGUAGE PYTHON;\n{TABLE}"
    query = "SELECT k, w.*, f0 AS again FROM t LEFT JOIN LATERAL TABLE(f(s)) AS w ON TRUE"
    fields = plan_query(ddl, query, place).inserts[0].query.fields
    assert [f"{field.name} {field.type}" for field in fields] == [
        "k INT NOT NULL",
        "f0 STRING",
        "f1 BIGINT",
        "again STRING",
    ]


def test_another_text_is_another_function(tmp_path: Path) -> None:
    """Comments and layout do not count, modules beside it that it imports do."""
    helper = write_module(tmp_path, "FACTOR = 2")
    target = write_module(tmp_path, f"import {helper}\ndef times(n: int) -> int: return n * {helper}.FACTOR")

    def fact() -> str:
        return fingerprint(plan((tmp_path, target), "times", "f(i)"))["function f, source"]

    first = fact()
    (tmp_path / f"{target}.py").write_text(
        f"import {helper}  # said\ndef times(n: int) -> int:\n    return n * {helper}.FACTOR"
    )
    assert fact() == first
    (tmp_path / f"{helper}.py").write_text("FACTOR = 3")
    assert fact() != first


def test_a_module_that_fails(tmp_path: Path) -> None:
    file = write_module(tmp_path, "raise SystemExit(3)")
    with pytest.raises(SqlError, match=rf"the Python module '{file}' can't be imported: SystemExit: 3"):
        plan((tmp_path, file), "f", "1")


def test_a_module_of_the_same_name_elsewhere(module, tmp_path: Path) -> None:
    plan(module, "maybe", "f(i)")
    (tmp_path / f"{module[1]}.py").write_text("def maybe(n: int) -> int: return 1")
    with pytest.raises(SqlError, match=rf"is {module[0]}/{module[1]}.py, not {tmp_path}/.*: give yours another name"):
        plan((tmp_path, module[1]), "maybe", "f(i)")


def test_everything_is_reported_at_once(module) -> None:
    with pytest.raises(SqlErrors) as wrong:
        plan(module, "maybe", "f(x), f(s), g(i)")
    assert len(wrong.value.problems) == 3
