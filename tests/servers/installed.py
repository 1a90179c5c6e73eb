"""What a test does whose server can't be had."""

from __future__ import annotations

import os

import pytest


def missing(reason: str) -> None:
    """Skips a test whose server can't be had here; on CI it fails."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
