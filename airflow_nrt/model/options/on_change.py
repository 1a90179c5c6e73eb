"""What a driver does where the report is another one than that of its home."""

from __future__ import annotations

from enum import Enum


class OnChange(str, Enum):
    """FAIL: it refuses. REBUILD: it computes the changed report beside the one that counts, until that can leave."""

    FAIL = "fail"
    REBUILD = "rebuild"

    def __str__(self) -> str:
        return self.value
