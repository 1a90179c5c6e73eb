"""The pages of the documentation, and the examples in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^( *)```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A fenced piece of a page. `title` is the name of the file that it is, empty for others."""

    page: str
    line: int
    language: str
    title: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """All pages of the site, and the README."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def examples(*parts: str, language: str = "") -> list[Example]:
    """The examples of the pages below these directories of `docs`, of one language or all."""
    files = [file for file in pages() if file.relative_to(ROOT).as_posix().startswith(parts)]
    found = [example for file in files for example in examples_of(file)]
    return [example for example in found if language in ("", example.language)]


def examples_of(file: Path) -> list[Example]:
    """The examples of one page, in its order."""
    text, page = file.read_text(encoding="utf-8"), file.relative_to(ROOT).as_posix()
    return [
        Example(page, text.count("\n", 0, found.start()) + 1, found[2], found[3] or "", _outdented(found[4], found[1]))
        for found in _FENCE.finditer(text)
    ]


def _outdented(text: str, indent: str) -> str:
    return "".join(line.removeprefix(indent) for line in text.splitlines(keepends=True))
