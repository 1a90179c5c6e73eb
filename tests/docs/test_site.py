"""The site builds without a dead link or a missing page, and so do the links of what stands beside it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT, pages

BESIDE = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")


@pytest.fixture(scope="module")
def site(process: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, some ten seconds."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return out


def test_it_has_every_page(site: Path) -> None:
    for page in pages()[1:]:
        name = page.relative_to(DOCS).with_suffix("")
        place = name.parent if name.name == "index" else name
        assert (site / place / "index.html").is_file(), page


def test_a_page_shows_what_is_generated(site: Path) -> None:
    operators = (site / "reference" / "operators" / "index.html").read_text(encoding="utf-8")
    assert "max_restarts" in operators
    assert "--available-now" in (site / "reference" / "cli" / "index.html").read_text(encoding="utf-8")
    assert "masked_settings" in (site / "reference" / "connection" / "index.html").read_text(encoding="utf-8")


def test_a_page_loads_nothing_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r"<(?:script|link|img)[^>]+(?:src|href)=\"(https?://[^\"]+)\"")
    for page in site.rglob("*.html"):
        assert loaded.findall(page.read_text(encoding="utf-8")) == [], page


@pytest.mark.parametrize("name", BESIDE)
def test_links_beside_the_site_lead_to_something(name: str) -> None:
    for target in LINK.findall((ROOT / name).read_text(encoding="utf-8")):
        assert (ROOT / target).exists(), target
