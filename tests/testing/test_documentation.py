"""`docs/how-to/test-a-report.md`: its test passes, on its report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.docs.pages import DOCS, examples_of


def test_the_page(spark, tmp_path: Path) -> None:
    files = {one.title: one.text for one in examples_of(DOCS / "how-to" / "test-a-report.md") if one.title}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    program: dict[str, Any] = {"__file__": str(tmp_path / "test_sales.py")}
    exec(compile(files["test_sales.py"], program["__file__"], "exec"), program)
    # The page's test asserts by itself what it expects.
    assert files["test_sales.py"].count("assert ") >= 2
    program["test_a_late_order_counts_from_the_next_window_on"]()
