"""`docs/reference/options.md`: what its first example prints is what `check` and `plan` say."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.conftest import Command
from tests.cli.place import REPORT, furnish

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "options.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```sql\n([^`]*)```\n\n```text\n([^`]*)```", TEXT)


def test_what_has_no_effect_is_told(command: Command, tmp_path: Path) -> None:
    ((settings, shown),) = EXAMPLES
    report = furnish(tmp_path, settings + REPORT)
    *told, fine = command("check", report).out.replace(str(report), "report.sql").splitlines()
    assert told == shown.splitlines()
    assert fine.startswith("report.sql: fine")
    lines = [line.replace("report.sql: ", "  ").replace(" has no effect here:", ":") for line in shown.splitlines()]
    assert "\n".join(["without effect here", *lines]) in command("plan", report).out
