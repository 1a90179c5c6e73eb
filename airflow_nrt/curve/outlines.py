"""The outlines of results, for the commands that read a home: none of them imports code of its report."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.home.outline import Outline
from airflow_nrt.model.options.settings import NO_SETTINGS


def outline_of(home: Home) -> Outline:
    """The home's own outline; for a home of an older version, the outline of its SQL.

    Raises InputError for an older home whose report is a program, or has Python functions.
    """
    kept = home.outline()
    if kept is not None:
        return kept
    from airflow_nrt.sql.load import plan_without_functions

    identity = home.identity()
    plan = None
    if identity.program is None:
        given = identity.given(NO_SETTINGS)
        plan = plan_without_functions(identity.script, identity.name, Path(identity.base), given)
    if plan is None:
        raise InputError(
            f"an older version made the home {home.path}, and did not note what its results look like; its report has "
            "Python code, which no command that reads a home imports: start the report once, with `run` or `backfill`, "
            "which note it"
        )
    return Outline.of(plan)
