"""The environment that a report is built in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.settings import Settings, connection_settings
from airflow_nrt.model.shapes.shape import Given, MisfitError, check_name
from airflow_nrt.sql.errors import Problems, SqlError
from airflow_nrt.table.checks.call_site import here
from airflow_nrt.table.environment.environment import TableEnvironment

if TYPE_CHECKING:
    from airflow_nrt.model.plan import Plan
    from airflow_nrt.program.program import Program
    from airflow_nrt.table.meaning import MeansQuery
    from airflow_nrt.table.tables.result import TableResult


class ReportEnvironment(TableEnvironment):
    """The environment in which a report is built: it only declares, and the report is run elsewhere.

    `settings` are those of the run. `modules` is the directory of the program's modules.
    """

    def __init__(self, settings: Mapping[str, str] | Settings, base: Path, modules: Path) -> None:
        super().__init__(base=base)
        self.modules = modules
        self._given = Settings.of(settings)
        self._settings = dict(self._given.values)
        self._asked: set[str] = set()

    def check_insert(self) -> None:
        """Inserts are allowed."""

    def setting(self, key: str) -> str | None:
        """The value of a setting. Raises InputError for one of a run that is no name: what it is for can't be seen."""
        self._asked.add(key)
        if key in self._given.of_run and key not in (*self._given.unsafe, *self._given.secrets):
            try:
                check_name(Given(key, self._settings[key], of_run=True))
            except MisfitError as wrong:
                raise InputError(
                    f"{here()}: the setting {key!r} {wrong}. If whoever gives it may choose any text: "
                    f"unsafe_settings=[{key!r}]"
                ) from None
        return self._settings.get(key, super().setting(key))

    def filled(self, text: str) -> str:
        """SQL with the settings in place of `${KEY}`."""
        from airflow_nrt.sql.filling.placeholders import fill_placeholders, placeholders

        self._asked |= placeholders(text) | connection_settings(text)
        return fill_placeholders(text, self._given)

    def executed(self, table: MeansQuery) -> TableResult:
        raise InputError(
            f"{here()}: a report declares what is written, and computes nothing at once: use execute_insert"
        )

    def report(self, name: str, program: Program) -> Plan:
        """The plan of all inserts. Raises SqlError, or SqlErrors."""
        from airflow_nrt.model.options.known import is_setting
        from airflow_nrt.model.plan import with_given
        from airflow_nrt.program.program import Built
        from airflow_nrt.sql.planner import plan_statements

        lost = next((one for one in self.pipelines if not one.is_used), None)
        if lost is not None:
            raise SqlError(f"this insert is never executed: insert_into({lost.target!r}).execute()", lost.at)
        asked = {key for key in self._asked if not is_setting(key)}
        overrides = {key: value for key, value in self._settings.items() if key not in asked}
        plan = plan_statements(self.statements, "", name, self.base, overrides, Problems())
        built = Built(program, self.base)
        return replace(
            with_given(plan, self._given), base=str(self.modules), built=built, reserved=tuple(self.reserved)
        )
