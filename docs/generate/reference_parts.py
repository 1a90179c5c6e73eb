"""Fills the places of pages that are generated from the code, as `make reference` does.

A place is two comments on lines of their own, and what is between them: `<!-- generated: KIND argument … -->` and
`<!-- end -->`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from airflow_side import connection_fields, described, imported, methods
from commands import all_commands
from dataclasses_shown import shown_dataclass, shown_entries
from scripts_shown import all_scripts

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
LANGUAGES = {".py": "python", ".sql": "sql", ".yaml": "yaml"}
END = "<!-- end -->"
PLACE = re.compile(rf"^(<!-- generated: (\w+)((?: \S+)*) -->)$(?:(?!^<!--).)*?^{END}$", re.MULTILINE | re.DOTALL)
KINDS: dict[str, Callable[..., str]] = {
    "object": lambda path: described(imported(path)),
    "methods": lambda path: methods(imported(path)),
    "connection": connection_fields,
    "commands": all_commands,
    "dataclass": lambda path: shown_dataclass(imported(path)),
    "entries": shown_entries,
    "scripts": all_scripts,
    "file": lambda name: f"```{LANGUAGES[Path(name).suffix]}\n{(ROOT / name).read_text(encoding='utf-8')}```",
}


def filled(page: str) -> str:
    """A page whose places hold what the code says now. Raises ValueError for a place without an end, KeyError for a
    kind that is none."""
    if page.count("<!-- generated: ") != len(PLACE.findall(page)):
        raise ValueError(f"a generated place ends with a line {END}")
    return PLACE.sub(lambda place: f"{place[1]}\n\n{KINDS[place[2]](*place[3].split())}\n\n{END}", page)


def pages() -> list[Path]:
    """The pages with such places."""
    return [page for page in sorted(DOCS.rglob("*.md")) if "<!-- generated: " in page.read_text(encoding="utf-8")]


# A default of the sensor is Airflow's, and a machine's configuration is none of the pages'.
os.environ["AIRFLOW__OPERATORS__DEFAULT_DEFERRABLE"] = "False"

if __name__ == "__main__":
    for page in pages():
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
