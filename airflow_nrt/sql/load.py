"""A report file as a plan: placeholders filled, settings overridden, paths made absolute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.basics.errors import InputError
from airflow_nrt.basics.nearest import nearest_file
from airflow_nrt.model.options.settings import Settings, connection_settings, connections
from airflow_nrt.model.plan import Plan, with_given
from airflow_nrt.sql.errors import Problems, SqlError, SqlErrors
from airflow_nrt.sql.filling.placeholders import filled, place_in, placeholders
from airflow_nrt.sql.parse.parsed import CreateFunction
from airflow_nrt.sql.parse.statements import parse_script
from airflow_nrt.sql.planner import plan_report, plan_statements

if TYPE_CHECKING:
    from airflow_nrt.home.home import Home


def load_report(
    path: str | Path,
    settings: Mapping[str, str] | Settings | None = None,
    name: str | None = None,
    base: Path | None = None,
) -> Plan:
    """The plan of a report file.

    A setting fills the placeholder `${KEY}` if the script has one for its key. Any other acts as a SET after those of
    the script. Relative paths of tables start at `base`, by default the file's directory.

    Raises InputError if the file can't be read, if a placeholder has no value, or one that is not safe there, or if the
    script is wrong (SqlError).
    """
    file = Path(path)
    try:
        script = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as wrong:
        reason = wrong.strerror if isinstance(wrong, OSError) else "it is no UTF-8 text"
        raise InputError(f"can't read the report {file}: {reason}{nearest_file(file)}") from None
    try:
        return plan_script(script, settings or {}, name or file.stem, base or file.absolute().parent)
    except (SqlError, SqlErrors) as wrong:
        wrong.report = str(path)
        raise


def plan_script(script: str, settings: Mapping[str, str] | Settings, name: str, base: Path) -> Plan:
    """The plan of a report's text; see `load_report`."""
    given = Settings.of(settings)
    text = filled(script, given)
    try:
        plan = plan_report(text.text, name, base, given.but(_asked(script)))
    except (SqlError, SqlErrors) as wrong:
        raise text.in_script(wrong, given) from None
    return replace(_completed(plan, given, script), script=script)


def _completed(plan: Plan, given: Settings, script: str) -> Plan:
    try:
        return with_given(plan, given)
    except InputError as wrong:
        # Only connections are completed, and the message names the one that is wrong.
        at = next((offset for name, offset in connections(script).items() if repr(name) in str(wrong)), 0)
        raise SqlError(given.shown(str(wrong)), place_in(script, at), script=script) from None


def _asked(script: str) -> set[str]:
    """The settings that are no SET statements: the values of placeholders and of connections."""
    return placeholders(script) | connection_settings(script)


def plan_of_home(home: Home, current: Mapping[str, str] | Settings | None = None) -> Plan:
    """The plan of the report that a home was made for; see `Identity.given` for the `current` settings."""
    identity = home.identity()
    given, known = identity.given(Settings.of(current)), dict(Settings.of(current).values)
    try:
        return plan_script(identity.script, given, identity.name, Path(identity.base))
    except InputError as wrong:
        lacking = ", ".join(sorted(_asked(identity.script).intersection(identity.masks.hashes).difference(known)))
        if not lacking:
            raise
        raise InputError(
            f"the home {home.path} keeps no value of {lacking}, which its report can't be planned without: {wrong}"
        ) from None


def plan_without_functions(script: str, name: str, base: Path, given: Settings) -> Plan | None:
    """The plan of a script that imports nothing; None if it has Python functions. Raises SqlError, or SqlErrors."""
    problems, text = Problems(), filled(script, given).text
    statements = parse_script(text, problems)
    if any(isinstance(statement, CreateFunction) for statement in statements):
        return None
    return plan_statements(statements, text, name, base, given.but(_asked(script)), problems)
