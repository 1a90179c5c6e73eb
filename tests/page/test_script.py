"""The script as the page shows it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from airflow_nrt.home.ids import home_id
from tests.page.lab import Lab
from tests.page.made_homes import Made, make_home, plan_of_homes

SCRIPT = "CREATE TABLE t (id INT) WITH ('password' = 'hunter2', 'access.key' = '${KEY}', 'path' = '${DATA}');"


def shown(lab: Lab, made: Made) -> Any:
    return Lab.over(made.home.path.parent).get(f"reports/{home_id(made.home.path)}", "viewer")["sql"]


def test_literals_of_options_that_are_named_like_secrets_are_not_shown(lab: Lab, tmp_path: Path) -> None:
    made = make_home(tmp_path / "homes", replace(plan_of_homes(tmp_path), script=SCRIPT), "curve", windows=3)
    assert shown(lab, made) == SCRIPT.replace("hunter2", "***")


def test_a_script_that_an_earlier_version_filled_with_all_values_is_not_shown(lab: Lab, fresh: Made) -> None:
    content = json.loads(fresh.home.report_file.local.read_text())
    content = {name: value for name, value in content.items() if name not in ("masks", "unsafe")}
    content |= {"format": 2, "script": "CREATE TABLE t (id INT) WITH ('path' = 's3://me:hunter2@bucket')"}
    fresh.home.report_file.local.write_text(json.dumps(content))
    assert shown(lab, fresh).startswith("-- not shown: the earlier version that made this home kept")
