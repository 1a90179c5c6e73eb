"""The settings of a report's session: the report's own, and the jars of its connectors."""

from __future__ import annotations

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.jars import JARS, fetched
from airflow_nrt.model.plan import Plan
from airflow_nrt.model.tables import Table

_FILES, _PACKAGES = "spark.jars", "spark.jars.packages"


def session_settings(plan: Plan) -> dict[str, str]:
    """Settings of Spark for a report. Raises InputError if the jars of a connector are not here."""
    settings = plan.spark_settings
    own = settings.get(_FILES, "") + settings.get(_PACKAGES, "")
    tables = [*(source.table for source in plan.sources), *(insert.sink for insert in plan.inserts)]
    needed = {table.connector: table for table in tables if table.connector in JARS}
    files = [settings[_FILES]] if settings.get(_FILES) else []
    for connector, table in needed.items():
        if JARS[connector][0].artifact not in own:
            files += _files_of(connector, table)
    return {**settings, _FILES: ",".join(files)} if files else settings


def _files_of(connector: str, table: Table) -> list[str]:
    files = fetched(connector)
    if not files:
        raise InputError(
            f"table {table.name!r}: the jars of connector '{connector}' are not part of Spark: "
            f"`airflow-nrt prepare {connector}` fetches them, or name your own in '{_FILES}'"
        )
    return [str(file) for file in files]
