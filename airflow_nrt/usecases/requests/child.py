"""How a task and its child process understand each other (`operators/command.py`, `cli/child.py`)."""

from __future__ import annotations

PROGRAM = "airflow_nrt.cli.child"
"""The module that the child runs: `python -m PROGRAM COMMAND …`. The task can't import it, as it loads the engine."""
WRONG_INPUT, WRONG_DATA = 2, 3
"""Exit statuses for which a retry would fail again."""
