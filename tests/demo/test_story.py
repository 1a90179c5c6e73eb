"""The demonstration's story: a row that late orders explain, and a last line that holds only if everything does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.cli.main import main
from airflow_nrt.demo import example_dags
from airflow_nrt.demo.explained_row import explained_row
from airflow_nrt.demo.generator import orders, write
from airflow_nrt.demo.play import MIDNIGHT
from airflow_nrt.demo.sinks.files import FilesSink
from airflow_nrt.demo.summary import Flipped, Summary
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import load_report

HOUR = 3600


def test_a_row_is_explained_by_its_late_orders_and_repaired_by_them(spark, tmp_path: Path) -> None:
    night = [order for order in orders(8000, seed=7) if order.paid < 3 * HOUR]
    late = [order for order in night if order.paid < HOUR][10:13]
    plan = load_report(example_dags() / "reports" / "orders_curve.sql", {"DATA": str(tmp_path / "data")})
    data, sink = tmp_path / "data" / "orders", FilesSink(tmp_path)
    data.mkdir(parents=True)
    write(data, [order for order in night if order.paid < 2 * HOUR and order not in late], 0)
    home = Home.create(tmp_path / "home", plan)

    Runner(spark, plan, home, available_now=True).run()
    with pytest.raises(NrtError, match="nothing to explain"):
        explained_row(home, sink, MIDNIGHT)
    write(data, [*late, *(order for order in night if order.paid >= 2 * HOUR)], 1)
    Runner(spark, plan, home, available_now=True).run()

    shown = explained_row(home, sink, MIDNIGHT)
    assert f"{shown.published.gmv}" in shown.lines()[1] and len(shown.lines()) == 2 + len(shown.late)
    assert not shown.explains(shown.published) and not shown.explains(None)
    backfill(spark, plan, home, Interval(MIDNIGHT - 24 * HOUR * 1000, shown.end), check=False)
    assert shown.explains(sink.row(home, shown.shop, shown.end))


def test_a_directory_without_the_dags_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--dags", str(tmp_path)]) == 2
    assert f"{tmp_path} has no orders_curve.py: give the directory of the example DAGs" in capsys.readouterr().err


def verdict(equal: int, explained: int, different: int = 0) -> dict[str, Any]:
    rows = {"equal": equal, "explained": explained, "missing": 0, "extra": 0, "different": different}
    windows = {"windows": 144, "explained": min(explained, 26), "unexplained": different}
    return {**windows, "proven": not different, "inserts": [{"rows": rows}]}


def flipped(*named: str) -> Flipped:
    """A cell was flipped in the window up to 12:10, and the verification names these windows."""
    bad = [{"end": parse_instant(end)} for end in named]
    found = {"proven": not named, "unexplained": len(named), "inserts": [{"bad": bad}]}
    return Flipped("2024-06-18 12:10:00", found)


def archive(equal: int, missing: int = 0) -> dict[str, Any]:
    counts = {"equal": equal, "missing": missing, "extra": 0, "different": 0}
    return {"archive": "orders_by_hour", "is_equal": not missing, **counts}


SUMMARY = Summary(verdict(28450, 301), flipped("2024-06-18 12:10:00"), 1, 94, verdict(28755, 0), True)


def test_the_last_line_counts_rows() -> None:
    assert SUMMARY.holds
    assert SUMMARY.lines()[-1] == (
        "demo: 144 windows, 28450 rows equal, 301 explained, 0 unexplained; repaired: 28755 of 28755 equal"
    )


def test_an_archive_is_a_line_of_the_table() -> None:
    with_archive = replace(SUMMARY, archives=[archive(300_000)])
    assert with_archive.holds and any(line.endswith("300000 equal, 0 not") for line in with_archive.lines())


@pytest.mark.parametrize(("option", "name"), [("source", "kafak"), ("sink", "postgers")])
def test_an_unknown_end_is_refused_by_name(option: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", f"--{option}", name]) == 2
    said = capsys.readouterr().err
    assert f"--{option} is files or " in said and f"not {name!r}; did you mean" in said


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"verdict": verdict(28450, 301, 1)}, id="a difference for no reason"),
        pytest.param({"verdict": verdict(28450, 0)}, id="nothing to explain"),
        pytest.param({"verdict": verdict(300, 301)}, id="more explained than equal"),
        pytest.param({"flipped": flipped()}, id="the flipped cell not found"),
        pytest.param({"flipped": flipped("2024-06-18 12:20:00")}, id="the flipped cell found elsewhere"),
        pytest.param({"archives": [archive(300_000, 1)]}, id="a record not archived"),
        pytest.param({"archives": [archive(0)]}, id="nothing archived"),
        pytest.param({"kills": 0}, id="no kill"),
        pytest.param({"repaired": verdict(28754, 1)}, id="not all equal after the repair"),
        pytest.param({"repaired": verdict(100, 0)}, id="rows gone after the repair"),
        pytest.param({"row_explained": False}, id="the row not explained"),
    ],
)
def test_the_demonstration_fails_if_one_promise_does_not_hold(wrong: dict[str, Any]) -> None:
    assert not replace(SUMMARY, **wrong).holds
