"""Homes whose report has changed, without Spark."""

from __future__ import annotations

from airflow_nrt.home.home import Home
from airflow_nrt.home.log.entries import Left
from airflow_nrt.home.log.fenced_writer import Writer
from airflow_nrt.home.next_generation import begin_next
from airflow_nrt.sql.load import load_report, plan_of_home
from tests.launch.homes import REPORT


def changed(home: Home, minutes: int) -> Home:
    """The next generation, whose windows are so many minutes long."""
    file = home.path.parent / "orders_curve.sql"
    file.write_text(REPORT.read_text().replace("'10' MINUTES", f"'{minutes}' MINUTES"))
    return begin_next(home, load_report(file, {"DATA": str(home.path.parent)}), plan_of_home)


def leave(writer: Writer, generation: int) -> None:
    writer.append(Left(generation))
