"""Every field of a plan that decides results is in its fingerprint, and nothing else is.

The plans below have every dataclass of a plan. Each field of each of them is changed once: what is declared as metadata
must not be seen, all else must be. A new field that these tests know no other value for fails them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import Field, dataclass, fields, is_dataclass, replace
from typing import Any

import pytest

from airflow_nrt.basics.metadata import is_metadata
from airflow_nrt.basics.types import BIGINT, STRING, DataType
from airflow_nrt.home.identity.fingerprint import changes_between, fingerprint
from airflow_nrt.model.connectors import CONNECTORS
from airflow_nrt.model.options.known import FILE_OPTIONS, REPORT_OPTIONS
from airflow_nrt.model.options.option import Option
from airflow_nrt.model.plan import Lookup, Plan, Source
from airflow_nrt.model.tables import Column
from airflow_nrt.program.functions import Parameter, PythonFunction
from tests.sample import CURVE, INSERT, ORDERS, plan_of

TTL = "SET 'table.exec.state.ttl' = '1 h';\n"
PRINT = "CREATE TABLE told ({}) WITH ('connector' = 'print');\n"
TUMBLE = "TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES)"
TIMES = PythonFunction("TIMES", "m.times", "udf", (Parameter("v", BIGINT),), 1, BIGINT, "5f3a")
MERGED = replace(TIMES, name="MERGED", kind="udaf", accumulator=BIGINT, variadic=True)


def told(columns: str, query: str) -> str:
    return TTL + ORDERS + PRINT.format(columns) + f"INSERT INTO told {query};"


def over(frame: str) -> str:
    return told(
        "id BIGINT, n BIGINT", f"SELECT id, COUNT(*) OVER (PARTITION BY shop ORDER BY ts {frame}) AS n FROM orders"
    )


def in_zone(script: str) -> str:
    return "SET 'table.local-time-zone' = 'Asia/Shanghai';\n" + script.replace(
        "ts TIMESTAMP(3),", "ts TIMESTAMP_LTZ(3),"
    )


SCRIPTS = {
    "windows": "SET 'table.local-time-zone' = 'Asia/Shanghai';\n"
    + ORDERS.replace(
        "ts TIMESTAMP(3),", "ts TIMESTAMP_LTZ(3), twice AS price * 2, file STRING METADATA FROM 'file.name',"
    )
    + CURVE.replace("gmv", "PRIMARY KEY (shop, window_end) NOT ENFORCED, gmv")
    + INSERT.replace("SUM(price)", "SUM(twice) FILTER (WHERE file <> 'x')"),
    "regrouped": told(
        "n BIGINT",
        f"SELECT SUM(n) FROM (SELECT shop, window_start, window_end, COUNT(*) AS n FROM TABLE({TUMBLE}) "
        "GROUP BY shop, window_start, window_end) GROUP BY window_start, window_end",
    ),
    "range": over("RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW"),
    "instants": in_zone(over("RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW")),
    "hours of a zone": in_zone(
        told("n BIGINT", f"SELECT COUNT(*) FROM TABLE({TUMBLE}) GROUP BY window_start, window_end")
    ),
    "rows": over("ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"),
    "groups": told("shop STRING, n BIGINT", "SELECT shop, COUNT(DISTINCT id) FROM orders GROUP BY shop"),
    "ranked": told(
        "id BIGINT, n BIGINT",
        "SELECT id, n FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS n FROM orders) "
        "WHERE n < 4",
    ),
    "framed": told("id BIGINT, n BIGINT", "SELECT id, COUNT(*) OVER (PARTITION BY shop ORDER BY price) FROM orders"),
    "first rows that begin anew": told(
        "n BIGINT",
        "SELECT COUNT(*) FROM TABLE(TUMBLE((SELECT shop, ts FROM (SELECT shop, ts, ROW_NUMBER() OVER "
        "(PARTITION BY shop ORDER BY ts) AS n FROM orders) WHERE n = 1), DESCRIPTOR(ts), INTERVAL '10' MINUTES)) "
        "GROUP BY window_start, window_end",
    ).replace("'csv'", "'csv', 'source.monitor-interval' = '1 s'"),
    "rows that came first and begin anew": told(
        "n BIGINT",
        "SELECT COUNT(*) FROM TABLE(TUMBLE((SELECT shop, ts FROM (SELECT shop, ts, ROW_NUMBER() OVER "
        "(PARTITION BY shop ORDER BY pt) AS n FROM orders) WHERE n = 1), DESCRIPTOR(ts), INTERVAL '10' MINUTES)) "
        "GROUP BY window_start, window_end",
    )
    .replace("'csv'", "'csv', 'source.monitor-interval' = '1 s'")
    .replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), pt AS PROCTIME(),"),
    "joined": told(
        "id BIGINT, other BIGINT",
        "SELECT a.id, b.id FROM orders a JOIN orders b "
        "ON a.shop = b.shop AND a.ts BETWEEN b.ts - INTERVAL '1' HOUR AND b.ts",
    ),
    "recent": told(
        "shop STRING, n BIGINT",
        "SELECT shop, COUNT(*) FROM orders WHERE ts BETWEEN now() - INTERVAL '1' HOUR AND now() GROUP BY shop",
    ),
    "sorted": told("id BIGINT, price DECIMAL(10, 2)", "SELECT id, price FROM orders ORDER BY price"),
    "sessions": told(
        "shop STRING, n BIGINT",
        "SELECT shop, COUNT(*) FROM SESSION(TABLE orders PARTITION BY shop, DESCRIPTOR(ts), INTERVAL '5' MINUTES) "
        "GROUP BY shop, window_start, window_end",
    ).replace("price DECIMAL(10, 2),", "price DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED,"),
    "looked up": told(
        "id BIGINT, region STRING",
        "SELECT o.id, s.region FROM (SELECT *, PROCTIME() AS p FROM orders) AS o "
        "JOIN shops FOR SYSTEM_TIME AS OF o.p AS s ON o.shop = s.shop",
    ).replace(
        "INSERT",
        "CREATE TABLE shops (shop STRING, region STRING) WITH ('connector' = 'filesystem', "
        "'path' = 'shops', 'format' = 'json'); INSERT",
        1,
    ),
    "partitions": ORDERS.replace(") WITH", ") PARTITIONED BY (shop) WITH") + CURVE + INSERT,
}
PLANS = {name: plan_of(script) for name, script in SCRIPTS.items()}
GROUPS = PLANS["groups"].updating[0]
CALLED = replace(GROUPS, aggregates=(replace(GROUPS.aggregates[0], python=MERGED), *GROUPS.aggregates[1:]))
PLANS["functions"] = replace(PLANS["groups"], functions=(TIMES, MERGED), updating=(CALLED,))
SPECIAL = {
    ("Plan", "settings"),
    ("Table", "options"),
    ("Source", "columns"),
    ("Lookup", "columns"),
    ("Table", "columns"),
    ("Column", "reads"),
}
"""Named values, whose options say themselves what of them decides results; and columns, of which those that are read
do. They have tests of their own."""
NOT_OF_SINKS = ("name", "watermark", "primary_key")
"""An insert has the name of its sink, nobody reads its watermark, and a key of rows that never change is a promise.
Nobody reads the watermark of a table that is looked up, either."""
VALUES = ("true", "drop", "allow", "3", "10 s", "Asia/Tokyo", "x")

Path = tuple[Any, ...]


@dataclass(frozen=True)
class Part:
    """A dataclass in a plan, and the fields and places that lead to it."""

    path: Path
    value: Any


def parts(value: Any, path: Path = ()) -> Iterator[Part]:
    if isinstance(value, DataType):
        return
    if isinstance(value, tuple):
        for place, one in enumerate(value):
            yield from parts(one, (*path, place))
    elif isinstance(value, (Source, Lookup)):
        yield Part(path, value)
        yield Part((*path, "table"), value.table)
        yield from parts(value.table.watermark, (*path, "table", "watermark"))
        for place, column in enumerate(value.table.columns):
            if column.name in value.columns:
                yield Part((*path, "table", "columns", place), column)
    elif is_dataclass(value):
        yield Part(path, value)
        for field in fields(value):
            if not is_metadata(field):
                yield from parts(getattr(value, field.name), (*path, field.name))


def placed(whole: Any, path: Path, value: Any) -> Any:
    """The same with another value at the end of the path."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        return (*whole[:first], placed(whole[first], rest, value), *whole[first + 1 :])
    return replace(whole, **{first: placed(getattr(whole, first), rest, value)})


def another(value: Any, known: list[Any]) -> Any:
    """Another value of a field, made of this one or taken from those that are known."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if value in CONNECTORS:
            return next(one for one in CONNECTORS if one != value)
        case str():
            return f"{value}x"
        case DataType():
            return STRING if value != STRING else BIGINT
        case tuple() if value:
            return value[:-1]
    return next((one for one in known if one != value), ("x",) if value == () else None)


PARTS = [(name, part) for name, plan in PLANS.items() for part in parts(plan)]
KINDS = {type(part.value) for _, part in PARTS}
FIELDS = [(kind, field) for kind in KINDS for field in fields(kind) if (kind.__name__, field.name) not in SPECIAL]
FIELDS.sort(key=lambda one: (one[0].__name__, one[1].name))


def is_a_part(value: Any) -> bool:
    """Whether its own fields are changed one by one."""
    return is_dataclass(value) and not isinstance(value, DataType)


def mutations(kind: type, field: Field[Any]) -> Iterator[tuple[Plan, Plan]]:
    """Plans, and the same with this one field of one part changed."""
    known = [getattr(part.value, field.name) for _, part in PARTS if type(part.value) is kind]
    for name, part in PARTS:
        of_sink = "sink" in part.path and field.name in NOT_OF_SINKS
        if type(part.value) is kind and not of_sink and not ("lookups" in part.path and field.name == "watermark"):
            value = getattr(part.value, field.name)
            # What is absent, and says nothing, says nothing of what it would be either.
            other = another(value, known) if value is not None or not (is_metadata(field) or kind is Column) else None
            if other is not None:
                yield PLANS[name], placed(PLANS[name], (*part.path, field.name), other)


@pytest.mark.parametrize(("kind", "field"), FIELDS, ids=[f"{kind.__name__}.{field.name}" for kind, field in FIELDS])
def test_each_field_is_seen_or_is_metadata(kind: type, field: Field[Any]) -> None:
    seen = [fingerprint(plan) != fingerprint(changed) for plan, changed in mutations(kind, field)]
    if is_metadata(field):
        assert not any(seen)
    elif not any(type(part.value) is kind and is_a_part(getattr(part.value, field.name)) for _, part in PARTS):
        assert seen, f"no plan of these tests has another value for {kind.__name__}.{field.name}: add one to SCRIPTS"
        assert all(seen)


def test_the_plans_have_every_dataclass_of_a_plan() -> None:
    import airflow_nrt.model.operators as operators
    import airflow_nrt.model.plan as plan
    import airflow_nrt.model.tables as tables
    import airflow_nrt.model.updating as updating
    import airflow_nrt.program.functions as functions

    declared = {
        one
        for module in (functions, operators, plan, tables, updating)
        for one in vars(module).values()
        if dataclasses.is_dataclass(one) and isinstance(one, type) and one.__module__ == module.__name__
    }
    # An archive is known by the option of its source that names it, a past by the facts of its table.
    assert {one.__name__ for one in declared - KINDS} == {"Query", "Archive", "History"}


def is_read(option: Option, value: str) -> bool:
    try:
        return bool(option.read(value) != option.default)
    except ValueError:
        return False


SETTINGS = [name for name, option in REPORT_OPTIONS.items() if any(is_read(option, value) for value in VALUES)]


@pytest.mark.parametrize("option", SETTINGS)
def test_a_setting_says_whether_it_decides_results(option: str) -> None:
    value = next(value for value in VALUES if is_read(REPORT_OPTIONS[option], value))
    plan = replace(PLANS["groups"], settings=())
    changed = replace(plan, settings=((option, value),))
    decides = REPORT_OPTIONS[option].decided_by(value) is not None
    assert decides is (changes_between(plan, changed) == [f"setting {option} is new: {value}"])
    assert decides is not (changes_between(plan, changed) == [])


@pytest.mark.parametrize(
    ("option", "one", "other", "expected"),
    [
        ("csv.null-literal", "NULL", "none", ["source orders, option csv.null-literal was: NULL; now: none"]),
        ("csv.field-delimiter", ",", ",", []),
        ("source.monitor-interval", "1 s", "2 s", []),
        ("source.max-batch-size", "1 mb", "2 mb", []),
        ("scan.null-rowtime", "fail", "skip", []),
    ],
)
def test_options_of_a_source(option: str, one: str, other: str, expected: list[str]) -> None:
    plans = [
        plan_of(ORDERS.replace("'csv'", f"'csv', '{option}' = '{value}'") + CURVE + INSERT) for value in (one, other)
    ]
    assert changes_between(*plans) == expected


COLUMNS = {
    "a column that nobody reads, at the end of a line": (
        ", unread INT, WATERMARK", ["source orders, fields of a line was: 4; now: 5"],
    ),
    "one before a column that is read": (
        "unread INT, shop",
        ["source orders, fields of a line was: 4; now: 5", "source orders, field of shop was: 2; now: 3",
         "source orders, field of price was: 3; now: 4", "source orders, field of ts was: 4; now: 5"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", COLUMNS)
def test_columns_of_a_source(change: str) -> None:
    text, expected = COLUMNS[change]
    changed = ORDERS.replace(",\n    WATERMARK", text) if "WATERMARK" in text else ORDERS.replace("shop", text)
    assert changes_between(plan_of(), plan_of(changed + CURVE + INSERT)) == expected


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("spark.sql.ansi.enabled", ["setting spark.sql.ansi.enabled is new: false"]),
        ("spark.sql.shuffle.partitions", []),
    ],
)
def test_settings_of_spark(setting: str, expected: list[str]) -> None:
    changed = plan_of(f"SET '{setting}' = 'false';\n{ORDERS}{CURVE}{INSERT}")
    assert changes_between(plan_of(), changed) == expected


def test_no_generated_sql_and_no_internal_names() -> None:
    words = "\n".join(f"{name} {text}" for plan in PLANS.values() for name, text in fingerprint(plan).items())
    assert "_nrt_" not in words and "`" not in words.replace("ROW<", "").replace("`file`", "").replace(
        "`block`", ""
    ).replace("`row`", "")
    assert not any(option in words for option in FILE_OPTIONS if FILE_OPTIONS[option].idle)
