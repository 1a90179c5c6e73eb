"""What trials have shown, as JSON lines: a run that was interrupted goes on after it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from tests.mutants.trial import Trial


def recorded(file: Path) -> dict[tuple[str, str], Trial]:
    """The last trial of each fault, by its name and by which tests were asked."""
    if not file.exists():
        return {}
    lines = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line)
    trials = (Trial(**{**one, "by": tuple(one["by"])}) for one in lines)
    return {(one.name, one.looked): one for one in trials}


def record(file: Path, trial: Trial) -> None:
    with file.open("a", encoding="utf-8") as lines:
        lines.write(f"{json.dumps(asdict(trial))}\n")
