"""The pages of the connectors: their examples run, and they list each option."""

from __future__ import annotations

import re
from pathlib import Path

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.connectors import CONNECTORS
from airflow_nrt.model.options.known import EVERY_SINK, EVERY_SOURCE
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import write_lines
from tests.engine.sinks.lakehouse.reports import Format, begin_with, rows

PAGES = Path(__file__).parents[4] / "docs/reference/connectors"


def page_of(lake: Format) -> str:
    return (PAGES / f"{lake.name}.md").read_text(encoding="utf-8")


def test_the_example(spark, lake: Format, tmp_path: Path) -> None:
    (script,) = re.findall(r"```sql\n(.*?)```", page_of(lake), re.DOTALL)
    write_lines(tmp_path / "orders" / "0.csv", ["1,7,1.50,2024-06-18 10:01:00", "1,8,2.25,2024-06-18 23:59:00"])
    plan = plan_script(script, {}, "curve", tmp_path)
    begin_with(spark, plan)
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home).run() == "finished"
    found = rows(spark, plan, "window_end", "buyers", "CAST(gmv AS STRING)")
    assert (len(found), found[0][1:], found[-1][1:]) == (84, (1, "1.50"), (2, "3.75"))
    assert verify(spark, plan, home).is_proven


def test_each_option_has_its_line(lake: Format) -> None:
    lines = [line for line in page_of(lake).splitlines() if line.startswith("|")]
    listed = {name for line in lines for name in re.findall(r"`([^`]+)`", line)}
    assert {*CONNECTORS[lake.name].options} - {option.name for option in (*EVERY_SINK, *EVERY_SOURCE)} - listed == set()
