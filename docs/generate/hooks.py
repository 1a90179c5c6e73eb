"""Hooks of mkdocs: pages that the navigation doesn't name, and places that are filled from the code.

A place is a comment on a line of its own: `<!-- generated: KIND argument … -->`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from airflow_side import connection_fields, imported, operator_page
from commands import all_commands
from dataclasses_shown import shown_dataclass, shown_entries

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {".py": "python", ".sql": "sql", ".yaml": "yaml"}
PLACE = re.compile(r"^<!-- generated: (\w+)((?: \S+)*) -->$", re.MULTILINE)
KINDS: dict[str, Callable[..., str]] = {
    "operator": lambda path: operator_page(imported(path)),
    "connection": connection_fields,
    "commands": all_commands,
    "dataclass": lambda path: shown_dataclass(imported(path)),
    "entries": shown_entries,
    "file": lambda name: f"```{LANGUAGES[Path(name).suffix]}\n{(ROOT / name).read_text(encoding='utf-8')}```",
}


def on_config(config: Any) -> Any:
    """Adds each page that the navigation doesn't name to the end of the part that it lies in."""
    named = set(_pages(config.nav))
    for part in config.nav:
        ((title, pages),) = part.items()
        directory = title.lower()
        found = (f"{directory}/{file.name}" for file in sorted(Path(config.docs_dir, directory).glob("*.md")))
        if isinstance(pages, list):
            pages.extend(page for page in found if page not in named)
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fills the places of a page. Raises KeyError for a kind that is none."""
    return PLACE.sub(lambda place: KINDS[place[1]](*place[2].split()), markdown)


def _pages(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
        return
    for inner in nav.values() if isinstance(nav, dict) else nav:
        yield from _pages(inner)
