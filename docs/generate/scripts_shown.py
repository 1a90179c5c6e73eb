"""The scripts under tests/scripts: what each is, and whether it runs."""

from __future__ import annotations

import json
from pathlib import Path

from tables import table

SCRIPTS = Path(__file__).resolve().parents[2] / "tests" / "scripts"


def all_scripts() -> str:
    """How many there are, and a table with a row for each."""
    refused = json.loads((SCRIPTS / "refused.json").read_text(encoding="utf-8"))
    files = sorted(SCRIPTS.glob("*/*.sql"))
    rows = []
    for file in files:
        name = file.relative_to(SCRIPTS).with_suffix("").as_posix()
        what = file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("-- ").rstrip(".")
        reason = refused.get(name)
        rows.append((f"`{name}`", what, "yes" if reason is None else f"no: {reason.replace('|', '¦')}"))
    count = f"{len(files) - len(refused)} of {len(files)} run."
    return f"{count}\n\n{table(('script', 'what it is', 'runs'), rows)}"
