"""Whatever is done to a script, the answer is a plan or an error with a place; it comes soon."""

from __future__ import annotations

import time
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_nrt.report.errors import InputError
from airflow_nrt.sql.lexer import tokenize
from airflow_nrt.sql.load import load_report, plan_script
from tests.sample import REPORT

ROOT = Path(__file__).resolve().parents[2]
CURVE = ROOT / "dags" / "reports" / "orders_curve.sql"
CASES = ROOT / "tests" / "golden" / "cases"


def _scripts() -> list[str]:
    queries = [
        (case / "ddl.sql").read_text() + "CREATE TABLE sink (a INT) WITH ('connector' = 'print');\nINSERT INTO sink\n"
        + (case / "query.sql").read_text()
        for case in sorted(CASES.glob("*/*"))
    ]  # fmt: skip
    return [REPORT, CURVE.read_text(), *queries]


SCRIPTS = [script.replace("${CASE_DIR}", "/c").replace("${DATA}", "/d") for script in _scripts()]
WORDS = [[script[token.at.offset : token.end] for token in tokenize(script)] for script in SCRIPTS]
VOCABULARY = sorted(
    {word for words in WORDS for word in words} | set("SESSION OVER UNION JOIN ROLLUP VALUES ROW".split())
)


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """A script with some words taken away, put in, exchanged, repeated, or with characters replaced."""
    words = list(draw(st.sampled_from(WORDS)))
    for _ in range(draw(st.integers(1, 4))):
        at, other = draw(st.integers(0, len(words) - 1)), draw(st.integers(0, len(words) - 1))
        match draw(st.sampled_from(["drop", "insert", "replace", "swap", "repeat", "cut", "spoil"])):
            case "drop":
                words[at] = ""
            case "insert":
                words.insert(at, draw(st.sampled_from(VOCABULARY)))
            case "replace":
                words[at] = draw(st.sampled_from(VOCABULARY))
            case "swap":
                words[at], words[other] = words[other], words[at]
            case "repeat":
                words[at:at] = words[other : other + draw(st.integers(1, 12))] * draw(st.sampled_from([1, 2, 300]))
            case "cut":
                del words[at + 1 :]
            case "spoil":
                words[at] = draw(st.text(max_size=6))
    return " ".join(words)


@settings(max_examples=300)
@given(mutations())
def test_a_plan_or_an_error(script: str) -> None:
    started = time.monotonic()
    try:
        plan_script(script, {}, "fuzz", Path("/base"))
    except InputError as wrong:
        assert str(wrong)
    assert time.monotonic() - started < 10


def test_the_curve_is_checked_at_once() -> None:
    started = time.perf_counter()
    plan = load_report(CURVE, {"DATA": "/data"})
    seconds = time.perf_counter() - started
    print(f"{CURVE.name}: {seconds * 1000:.1f} ms")
    assert plan.name == "orders_curve"
    assert seconds < 1
