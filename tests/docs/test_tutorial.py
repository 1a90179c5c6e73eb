"""The first tutorial, typed as it stands: its files are written, its commands run, its output compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from airflow_nrt.engine.java.finding import ensure_java
from tests.docs.pages import DOCS, Example, examples_of

pytestmark = [pytest.mark.slow, pytest.mark.process]

INSTALLATION = "pip install"
"""The commands of such an example are left out: the environment of the tests has what they install."""


def steps(page: Path) -> Iterator[tuple[Example, list[str]]]:
    """Each file and each group of commands of a page, with the lines that it prints as far as the page shows them."""
    found = [one for one in examples_of(page) if INSTALLATION not in one.text]
    for example, following in zip(found, [*found[1:], None]):
        if example.title or example.language == "bash":
            shows = following is not None and following.language == "text"
            yield example, following.text.splitlines() if following is not None and shows else []


def as_pattern(line: str) -> str:
    """`…` stands for anything."""
    return ".*".join(map(re.escape, line.split("…")))


def test_the_first_report_is_what_its_page_says(tmp_path: Path) -> None:
    ensure_java()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    typed = 0
    for example, expected in steps(DOCS / "tutorial" / "first-report.md"):
        if example.title:
            file = tmp_path / example.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(example.text, encoding="utf-8")
            continue
        answer = subprocess.run(
            ["bash", "-e", "-c", example.text],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert answer.returncode == 0, f"{example.place}\n{answer.stdout}\n{answer.stderr}"
        missing = [line for line in expected if not re.search(f"^{as_pattern(line)}$", answer.stdout, re.MULTILINE)]
        assert missing == [], f"{example.place}\n{answer.stdout}"
        typed += 1
    assert typed >= 6
