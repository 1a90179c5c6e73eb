"""What must not be in the repository: where packages come from on one machine, and its paths."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Put together here, so that this file does not find itself.
PACKAGE_INDEX = re.compile(
    r"https?://[^\s'\"]*/" + r"simple\b|--(?:extra-)?" + r"index-url[= ]|files\.python" + r"hosted"
)
MACHINE_PATH = re.compile(
    r"(?<![\w.$}])/(?:" + r"work|root|home/\w+|Users/\w+" + r")/|\.\./" + r"shared\b|/tmp/" + r"lab\b"
)


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def matches(pattern: re.Pattern[str]) -> Iterator[str]:
    for file in tracked():
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        for number, line in enumerate(lines, 1):
            if pattern.search(line):
                yield f"{file.relative_to(ROOT)}:{number}: {line.strip()[:200]}"


@pytest.mark.process
@pytest.mark.parametrize("pattern", [PACKAGE_INDEX, MACHINE_PATH], ids=["package index", "machine path"])
def test_no_tracked_file_has(pattern: re.Pattern[str]) -> None:
    assert list(matches(pattern)) == []


def test_the_patterns_find_what_they_are_for() -> None:
    assert PACKAGE_INDEX.search("https://mirror.example.org/pypi/" + "simple/")
    assert MACHINE_PATH.search("open('" + "/ro" + "ot/x')")
    assert not MACHINE_PATH.search("https://example.org/work" + "/x") and not MACHINE_PATH.search("framework/" + "x")


def test_the_locks_name_no_host() -> None:
    for lock in (ROOT / "requirements").glob("*.lock"):
        assert "://" not in lock.read_text(), lock
