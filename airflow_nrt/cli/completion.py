"""`airflow-nrt completion`: the script by which a shell completes commands and options.

eval "$(airflow-nrt completion bash)"
"""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable

from airflow_nrt.cli.common import print_lines

PROGRAM = "airflow-nrt"
SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(options: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    print_lines(shellcode([PROGRAM], shell=options.shell).rstrip())
    return 0


def complete(parser: Callable[[list[str]], argparse.ArgumentParser]) -> None:
    """Answers a shell that asks for completions, and exits then. `parser` gives the parser for a command line."""
    if "_ARGCOMPLETE" not in os.environ:
        return
    import argcomplete

    argcomplete.autocomplete(parser(_words(os.environ.get("COMP_LINE", ""))[1:]))


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        # A quote is still open.
        return line.split()
