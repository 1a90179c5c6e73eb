"""The reference of the command line: what `airflow-nrt COMMAND --help` prints."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout, suppress

from airflow_nrt.cli.main import COMMANDS, main

_COLUMNS = "100"


def all_commands() -> str:
    """A section for each command, in the order of `airflow-nrt --help`."""
    return "\n\n".join(f"## {name}\n\n```text\n{printed_help(name)}\n```" for name in COMMANDS)


def printed_help(*command: str) -> str:
    """The help of a command, for a terminal of this width."""
    before, printed = os.environ.get("COLUMNS"), io.StringIO()
    os.environ["COLUMNS"] = _COLUMNS
    try:
        with redirect_stdout(printed), suppress(SystemExit):
            main([*command, "--help"])
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return printed.getvalue().rstrip()
