"""What tests of classes in Java share."""

from __future__ import annotations

import pytest

from airflow_nrt.engine.java import fitting


@pytest.fixture
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit in this test fits the session again after it."""
    monkeypatch.setattr(fitting, "_unusable", {})
