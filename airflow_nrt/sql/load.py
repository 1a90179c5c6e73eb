"""A report file as a plan: placeholders filled, settings overridden, paths made absolute."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from airflow_nrt.report.errors import InputError
from airflow_nrt.report.plan import Plan
from airflow_nrt.sql.errors import Place, Problems, SqlError
from airflow_nrt.sql.parse_statements import parse_script
from airflow_nrt.sql.parsed import CreateFunction
from airflow_nrt.sql.planner import plan_report, plan_statements

if TYPE_CHECKING:
    from airflow_nrt.report.home import Home

_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


def load_report(
    path: str | Path, settings: Mapping[str, str] | None = None, name: str | None = None, base: Path | None = None
) -> Plan:
    """The plan of a report file.

    A setting whose key stands as `${KEY}` in the script fills that placeholder; any other works as a SET behind
    the script's own. Relative paths of tables start at `base`, by default the file's directory.

    Raises InputError if the file can't be read, a placeholder has no value, or the script is wrong (SqlError).
    """
    file = Path(path)
    try:
        script = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as wrong:
        reason = wrong.strerror if isinstance(wrong, OSError) else "it is no UTF-8 text"
        raise InputError(f"can't read the report {file}: {reason}") from None
    return plan_script(script, settings or {}, name or file.stem, base or file.absolute().parent)


def plan_script(script: str, settings: Mapping[str, str], name: str, base: Path) -> Plan:
    """The plan of a report's text; see `load_report`."""
    return plan_report(fill_placeholders(script, settings), name, base, _overrides(script, settings))


def plan_of_home(home: Home) -> Plan:
    """The plan of the report that a home was made for."""
    identity = home.identity()
    return plan_report(identity.script, identity.name, Path(identity.base), identity.settings)


def plan_without_functions(script: str, name: str, base: Path, settings: Mapping[str, str]) -> Plan | None:
    """The plan of a script that imports nothing; None if it has Python functions. Raises SqlError, or SqlErrors."""
    problems = Problems()
    statements = parse_script(script, problems)
    if any(isinstance(statement, CreateFunction) for statement in statements):
        return None
    return plan_statements(statements, script, name, base, settings, problems)


def placeholders(script: str) -> set[str]:
    """The keys that stand as `${KEY}`."""
    return set(_PLACEHOLDER.findall(script))


def fill_placeholders(script: str, values: Mapping[str, str]) -> str:
    """The script with every `${KEY}` replaced. Raises SqlError, or SqlErrors, for those without a value."""
    problems = Problems()
    for match in _PLACEHOLDER.finditer(script):
        if match.group(1) not in values:
            missing = f"the placeholder {match.group()} has no value: give one with --set {match.group(1)}=…"
            problems.found.append(SqlError(missing, _place(script, match.start())))
    problems.raise_any(script)
    return _PLACEHOLDER.sub(lambda match: values[match.group(1)], script)


def _place(script: str, offset: int) -> Place:
    return Place(script.count("\n", 0, offset) + 1, offset - script.rfind("\n", 0, offset), offset)


def _overrides(script: str, settings: Mapping[str, str]) -> dict[str, str]:
    inside = placeholders(script)
    return {key: value for key, value in settings.items() if key not in inside}
