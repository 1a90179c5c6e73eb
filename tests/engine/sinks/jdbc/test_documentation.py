"""The page of the connector: its example runs, and it lists each option."""

from __future__ import annotations

import re
from pathlib import Path

from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.connectors.jdbc import Jdbc
from airflow_nrt.model.options.known import EVERY_SINK
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import rows_of, write_lines
from tests.servers.fixtures import Server

PAGE = (Path(__file__).parents[4] / "docs/reference/connectors/jdbc.md").read_text(encoding="utf-8")


def test_the_example(spark, server: Server, tmp_path: Path) -> None:
    script, _ = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    write_lines(tmp_path / "orders" / "0.csv", ["1,7,1.50,2024-06-18 10:01:00", "1,8,2.25,2024-06-18 23:59:00"])
    script = script.replace("jdbc:postgresql://database:5432/app", server.url)
    plan = plan_script(script, {"PASSWORD": "secret"}, "curve", tmp_path)
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home).run() == "finished"
    rows = server.query("SELECT buyers, gmv FROM curve ORDER BY window_end")
    assert (len(rows), rows[0], rows[-1]) == (84, ["1", "1.50"], ["2", "3.75"])
    assert verify(spark, plan, home).is_proven
    assert "secret" not in home.report_file.local.read_text()


def test_the_example_of_a_lookup_join(spark, server: Server, tmp_path: Path) -> None:
    _, script = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    write_lines(tmp_path / "orders" / "0.csv", ["1,1.50,2024-06-18 10:01:00", "2,2.25,2024-06-18 23:59:00"])
    server.query("CREATE TABLE shops (id INT, region VARCHAR(20))")
    server.query("INSERT INTO shops VALUES (1, 'north')")
    script = script.replace("jdbc:postgresql://database:5432/app", server.url)
    script = script.replace("'username' = 'app'", "'username' = 'app', 'password' = '${PASSWORD}'")
    plan = plan_script(script, {"PASSWORD": "secret"}, "placed", tmp_path)
    home = Home.create(tmp_path / "home", plan)
    assert Runner(spark, plan, home).run() == "finished"
    assert rows_of(tmp_path / "placed", "json") == [("north", 1.5)]
    server.query("DROP TABLE shops")
    assert verify(spark, plan, home).is_proven
    assert "secret" not in home.report_file.local.read_text()


def test_each_option_has_its_line() -> None:
    named = {name for line in PAGE.splitlines() if line.startswith("|") for name in re.findall(r"`([^`]+)`", line)}
    assert {*Jdbc.options} - {option.name for option in EVERY_SINK} - named == set()
