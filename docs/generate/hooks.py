"""A hook of mkdocs: pages that the navigation doesn't name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any


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


def _pages(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
        return
    for inner in nav.values() if isinstance(nav, dict) else nav:
        yield from _pages(inner)
