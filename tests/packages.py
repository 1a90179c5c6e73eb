"""What a user installs: the wheel and the source distribution, and new environments that have them, without a lock."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_OF_TESTS = ("PYTHONPATH", "SPARK_HOME", "SPARK_SUBMIT_OPTS", "VIRTUAL_ENV", "AIRFLOW_HOME")


def without_tests_own() -> dict[str, str]:
    """The environment of this process, without what tests have set in it."""
    return {name: value for name, value in os.environ.items() if name not in _OF_TESTS}


def run(
    *command: object,
    check: bool = True,
    environment: Mapping[str, str | None] | None = None,
    directory: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """A command that knows nothing of the environment of this test but its Java, and what `environment` says; None
    takes a variable away."""
    given = {name: value for name, value in {**without_tests_own(), **(environment or {})}.items() if value is not None}
    words = [str(word) for word in command]
    answer = subprocess.run(words, capture_output=True, text=True, check=False, env=given, cwd=directory)
    assert not check or answer.returncode == 0, f"{words}\n{answer.stdout[-4000:]}\n{answer.stderr[-8000:]}"
    return answer


@dataclass(frozen=True)
class Tools:
    """An environment with what builds and installs, as the lock has it."""

    place: Path

    def build(self, kind: str, directory: Path = ROOT, name: str | None = None) -> Path:
        """A `wheel` or an `sdist` of this repository, or of what was unpacked into a directory."""
        built = self.place.parent / (name or kind)
        run(self.place / "bin" / "hatchling", "build", "--target", kind, "--directory", built, directory=directory)
        (file,) = built.iterdir()
        return file

    def install(self, environment: Path, *packages: object) -> Path:
        """The Python of a new environment with these packages, of the index of the day."""
        run(sys.executable, "-m", "venv", "--without-pip", environment)
        python = environment / "bin" / "python"
        self.add(python, *packages)
        return python

    def add(self, python: Path, *packages: object) -> None:
        run(self.place / "bin" / "uv", "pip", "install", "--quiet", "--python", python, *packages)


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Tools:
    place = tmp_path_factory.mktemp("packages")
    run(sys.executable, "-m", "venv", place / "tools")
    pip = (place / "tools" / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check")
    probe = (*pip, "--timeout", "10", "--retries", "1", "download", "--no-deps", "--dest", place / "probe", "hatchling")
    if (answer := run(*probe, check=False)).returncode:
        pytest.skip(f"no package index can be reached: {answer.stderr.strip()[-200:]}")
    run(*pip, "install", "--no-compile", "--require-hashes", "-r", ROOT / "requirements" / "tools.lock")
    return Tools(place / "tools")


@pytest.fixture(scope="session")
def wheel(tools: Tools) -> Path:
    return tools.build("wheel")


@pytest.fixture(scope="session")
def sdist(tools: Tools) -> Path:
    return tools.build("sdist")
