"""The order of command line, variables and files: flags win over variables, variables over files.

AIRFLOW_NRT_HOME, AIRFLOW_NRT_MASTER, AIRFLOW_NRT_GROUP, and AIRFLOW_NRT_SETTINGS as a JSON object. The file beside the
report (or in the working directory) wins over that of the user.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.cli.config.config_files import KEYS, NAME, SETTINGS, Config, read_config, user_file
from airflow_nrt.model.options.settings import Settings
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER

_PREFIX = "AIRFLOW_NRT_"
_REPORT = "{report}"


def choose(options: argparse.Namespace) -> None:
    """Fills in the options of a command that were not given. Raises InputError if nothing names its home."""
    if not any(hasattr(options, key) for key in (*KEYS, "set")):
        return
    report = getattr(options, "report", None)
    if report is not None and Path(report).is_dir():
        return
    places = [_of_variables(os.environ), read_config(_directory_of(report) / NAME), read_config(user_file())]
    wanted = KEYS if getattr(options, "needs_home", False) else tuple(key for key in KEYS if key != "home")
    for key in wanted:
        if getattr(options, key, "") is None:
            setattr(options, key, next((value for one in places if (value := getattr(one, key)) is not None), None))
    if hasattr(options, "set"):
        values = {key: value for one in reversed(places) for key, value in one.settings.items()}
        options.given = Settings(tuple(values.items()))
    if hasattr(options, "master"):
        options.master = options.master or DEFAULT_MASTER
    if getattr(options, "needs_home", False):
        options.home = _home(options.home, report)


def _directory_of(report: str | None) -> Path:
    """The directory of a report; the working directory for a command without one."""
    return Path(report.partition(":")[0]).parent if report is not None else Path()


def _of_variables(environment: Mapping[str, str]) -> Config:
    """Raises InputError for malformed settings."""
    variable = _PREFIX + SETTINGS.upper()
    given = {key: environment.get(_PREFIX + key.upper()) or None for key in KEYS}
    try:
        settings = json.loads(environment.get(variable) or "{}")
    except ValueError:
        settings = None
    if not isinstance(settings, dict) or not all(isinstance(value, str) for value in settings.values()):
        raise InputError(f'{variable} is an object of JSON whose values are texts, such as {{"DATA": "/data"}}')
    return Config("the environment", settings=settings, **given)


def _home(home: str | None, report: str | None) -> str:
    if home is None:
        raise InputError(f'no home: give --home DIR, set {_PREFIX}HOME, or write `home = "DIR"` into {NAME}')
    if _REPORT not in home:
        return home
    if report is None:
        raise InputError(f"the home {home} belongs to many reports: choose one with --home")
    return home.replace(_REPORT, _name_of(report))


def _name_of(report: str) -> str:
    """`curve` of `reports/curve.sql`, `curve.py` and `jobs:curve`."""
    path, _, function = report.partition(":")
    return function or Path(path).stem
