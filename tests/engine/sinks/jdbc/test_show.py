"""`airflow-nrt show` of a home whose results are in a database: drawn from the samples, without asking the database."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.cli.main import main
from airflow_nrt.curve import curve_of
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.home.home import Home
from tests.engine.sinks.jdbc.reports import arrive, report
from tests.servers.postgresql import PostgreSql

WINDOW_END = 1_718_704_800_000
"""2024-06-18 10:00:00."""


def test_a_database(spark, postgresql: PostgreSql, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = report(tmp_path, postgresql.url, "shown")
    arrive(tmp_path, "1", (1, 5, "10:01:00"), (2, 7, "10:02:00"), (1, 1, "10:12:00"), (3, 0, "10:40:00"))
    home = Home.create(tmp_path / "home", plan)
    Runner(spark, plan, home, available_now=True).run()
    outline = home.outline()
    assert outline is not None
    gmv = curve_of(home, outline, column="gmv")
    assert gmv.values() == [(WINDOW_END + 600_000 * n, value) for n, value in ((1, 12), (2, 13), (3, 13))]
    assert (gmv.title, gmv.scale) == ("gmv of curve, CUMULATE 10 minutes / 30 minutes", 2)
    assert main(["show", "--home", str(home.path)]) == 0
    assert capsys.readouterr().out.startswith("n of curve, CUMULATE 10 minutes / 30 minutes")
    assert main(["show", "--home", str(home.path), "--column", "shop"]) == 2
    assert "the home has no samples of a column 'shop' of curve: n, gmv" in capsys.readouterr().err
