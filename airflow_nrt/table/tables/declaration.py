"""The result of a statement that declares, and computes nothing."""

from __future__ import annotations

from airflow_nrt.table.checks.arguments import Complete


class Declaration(Complete):
    """There is nothing to wait for."""

    called = "a declaration, which computes nothing,"

    def wait(self, timeout_ms: int | None = None) -> None:
        """Returns at once."""

    def print(self) -> None:
        print("OK")
