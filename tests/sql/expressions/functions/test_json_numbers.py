"""Numbers that JSON_VALUE and JSON_QUERY find are written as Java writes a BigDecimal, which Python does, too."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from random import Random
from typing import Any

from airflow_nrt.engine.spark.query_frames import run_query
from airflow_nrt.model.internal_columns import SOURCE_HIDDEN
from tests.sql.expressions.functions.flink_functions import planned

WHOLE = ("0", "7", "10", "90071992547409930", "1" * 38, "9" * 39, "1234567890" * 10)
FRACTIONS = (
    "",
    ".0",
    ".5",
    ".50",
    ".05",
    ".000000",
    ".0000000",
    ".0000001",
    ".00000010",
    ".123456789012345678901234567890",
)
POWERS = ("", "e0", "E1", "e+2", "e-2", "e-6", "E-7", "e007", "e-30", "e30", "E400", "e-2000000000")
ALL = [f"{sign}{number}" for sign in ("", "-") for number in map("".join, product(WHOLE, FRACTIONS, POWERS))]
WRITTEN = Random(3).sample(ALL, 200)


def as_java_writes(number: str) -> str:
    """A BigDecimal has no negative zero."""
    text = str(Decimal(number))
    return text if Decimal(number) else text.lstrip("-")


def read(spark: Any, documents: list[str], *expressions: str) -> list[tuple[Any, ...]]:
    hidden = [f"CAST(NULL AS STRING) AS {name}" for name in SOURCE_HIDDEN]
    table = spark.createDataFrame([(text,) for text in documents], "s STRING").selectExpr("s", *hidden)
    return [
        tuple(row)[: len(expressions)]
        for row in run_query(planned(expressions).inserts[0].query, {"t": table}).collect()
    ]


def test_a_number_alone(spark: Any) -> None:
    found = read(spark, [f'{{"n": "1.0", "m": {number}}}' for number in WRITTEN], "JSON_VALUE(s, '$.m')")
    assert found == [(as_java_writes(number),) for number in WRITTEN]


def test_numbers_beside_others_and_strings_that_look_like_numbers(spark: Any) -> None:
    random = Random(7)
    several = [random.sample(WRITTEN, 6) for _ in range(40)]
    documents = [
        f'{{"1.0":[{a} , "\\\\\\"{b},",\t{c}],"b":[true,null,{{"x\\\\":{d}}}],"c":"{e}, ","d":\n{f}\n}}'
        for a, b, c, d, e, f in several
    ]
    expected = []
    for numbers in several:
        a, _, c, d, _, f = map(as_java_writes, numbers)
        list_of, text, last = f'[{a},"\\\\\\"{numbers[1]},",{c}]', f'"{numbers[4]}, "', f
        whole = f'{{"1.0":{list_of},"b":[true,null,{{"x\\\\":{d}}}],"c":{text},"d":{last}}}'
        expected.append((whole, [a, f'\\"{numbers[1]},', c], last, f'[[true,null,{{"x\\\\":{d}}}]]'))
    asked = (
        "JSON_QUERY(s, '$')",
        """JSON_QUERY(s, '$["1.0"]' RETURNING ARRAY<STRING>)""",
        "JSON_VALUE(s, 'lax $.d')",
        "JSON_QUERY(s, '$.b' WITH WRAPPER)",
    )
    assert read(spark, documents, *asked) == expected


def test_no_document_becomes_json_by_its_numbers(spark: Any) -> None:
    wrong = ["01.50", "1.", "+1.50", ".50", "1.50e", "1.5.0", "1.50:1.50", "{1.50:1}", "{1.50 : 1}", "[1.50", "-"]
    documents = [f'{{"n":{text}, "m":1e2}}' for text in wrong]
    asked = ("JSON_QUERY(s, '$')", "JSON_VALUE(s, '$.n')", "JSON_EXISTS(s, '$.n')")
    assert read(spark, documents, *asked) == [(None, None, False)] * len(documents)
