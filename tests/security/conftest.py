from __future__ import annotations

import pytest

import tests.airflow_home  # noqa: F401
from tests.cli.conftest import Command, command_line


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process, which may start others."""
    return command_line(capsys)
