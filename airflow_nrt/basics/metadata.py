"""Marks the fields of a plan that do not decide its results: generated SQL, internal names, words for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field
from typing import Any

METADATA: Mapping[str, bool] = {"is_metadata": True}
"""`sql: str = field(metadata=METADATA)` takes no part in the fingerprint; a field without it does."""


def is_metadata(field: Field[Any]) -> bool:
    return bool(field.metadata.get("is_metadata", False))
