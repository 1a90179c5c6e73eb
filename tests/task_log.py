"""What a task or a trigger says in its log, as a test reads it: Airflow's own logging prints it."""

from __future__ import annotations

import re

import pytest

_LINE = re.compile(r"\S+ \[\w+ *\] (.*?) +\[[\w.]+\] loc=.*")


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines since the last look, without their times and places."""
    return [match.group(1) for line in capsys.readouterr().out.splitlines() if (match := _LINE.fullmatch(line))]
