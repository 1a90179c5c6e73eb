"""`airflow-nrt`: reports from the command line.

Exit status: 0 done, 1 a verification or a job failed, 2 the input is wrong.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType

from airflow_nrt import __version__
from airflow_nrt.basics.errors import NrtError
from airflow_nrt.basics.nearest import nearest
from airflow_nrt.cli.common import leave_unread
from airflow_nrt.cli.completion import complete
from airflow_nrt.cli.config.chosen import choose
from airflow_nrt.cli.terminal.colours import Colour, painted
from airflow_nrt.usecases.sessions import needing_spark

COMMANDS = {
    "new": "write a report, a DAG, sample data and a test to start with",
    "check": "parse, plan and validate a report",
    "doctor": "check whether reports, or this one, can run on this machine, with a way out of each problem",
    "plan": "show what a report does: operators, state, what the batch reads; or what it changes in a home",
    "run": "run a report's stream in the foreground",
    "backfill": "compute the windows of an interval in batch, verify or publish them",
    "verify": "prove that the stream published what the batch computes",
    "maintain": "compact the lakehouse tables of a report, remove their old versions, and old entries of the home",
    "set-aside": "set aside the decided rows that a table refuses, so that the rest goes on",
    "skip": "leave out rows of a source that can't be read",
    "reopen": "read what came into closed directories of a source",
    "status": "the status of a report and its driver",
    "forget": "show the content of a home, or remove it with its claims on tables",
    "homes": "the state of all homes below a directory",
    "windows": "the published windows, as they are now or as they were at a time",
    "versions": "the versions that windows have had: who published each, when and why, and what changed",
    "undo": "publish an older version of a window again, which stays until somebody unpins it",
    "changelog": "what became visible, was replaced and was removed, in order",
    "late": "the late and the rejected rows",
    "stop": "ask the driver of a home to stop",
    "query": "run one query over bounded input, as a stream or in batch",
    "show": "draw the curve of a home in the terminal",
    "prepare": "make a class archive of Spark on this machine, so that drivers start faster",
    "demo": "the product in five minutes",
    "completion": "print the script that lets a shell complete commands and options",
}
_OF_HOMES = (
    "changelog", "forget", "homes", "late", "reopen", "set-aside", "show", "skip", "status", "stop", "undo", "versions",
    "windows",
)  # fmt: skip
"""Commands whose modules are in the room `of_homes/`."""
_JOBS = (
    "run", "backfill", "verify", "maintain", "set-aside", "skip", "reopen", "undo", "forget", "doctor", "query",
    "prepare", "demo",
)  # fmt: skip
"""Commands whose exit status reports a job, so that a reader who leaves early is a failure."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; errors go to standard error in one paragraph."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    complete(_parser)
    options = _parsed(given)
    try:
        status = _run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("airflow-nrt: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has seen enough. Only commands without a job succeed then.
        leave_unread(sys.stdout)
        return 1 if options.command in _JOBS else 0
    except Exception as wrong:
        if options.debug:
            traceback.print_exc()
        else:
            print(f"{painted('airflow-nrt:', Colour.WRONG, sys.stderr)} {_in_one_paragraph(wrong)}", file=sys.stderr)
        return wrong.exit_status if isinstance(wrong, NrtError) else 1
    return status


def _parsed(given: list[str]) -> argparse.Namespace:
    """Ends the process at arguments that are wrong, with the nearest of those that are right."""
    parser = _parser(given)
    wanted = given[0] if given and not given[0].startswith("-") else None
    if wanted is not None and wanted not in COMMANDS:
        parser.error(f"there is no command {wanted!r}{nearest(wanted, COMMANDS)} (`airflow-nrt --help` lists them)")
    options, unknown = parser.parse_known_args(given)
    if unknown:
        of_command: argparse.ArgumentParser = options.parser
        known = [name for action in of_command._actions for name in action.option_strings]
        of_command.error(f"there is no argument {unknown[0]!r}{nearest(unknown[0], known)}")
    return options


def module_of(command: str) -> ModuleType:
    """The module of a command, with `add_arguments` and `run`. Raises ModuleNotFoundError."""
    room = "of_homes." if command in _OF_HOMES else ""
    return importlib.import_module(f"airflow_nrt.cli.{room}{command.replace('-', '_')}")


def _run(options: argparse.Namespace) -> int:
    choose(options)
    with needing_spark():
        status: int = options.run(options)
        return status


def _in_one_paragraph(wrong: Exception) -> str:
    if isinstance(wrong, NrtError):
        return str(wrong)
    first = str(wrong).strip().split("\n", 1)[0] or "no message"
    return f"{type(wrong).__name__}: {first[:1000]} (--debug shows the stack trace)"


class _Help(argparse.HelpFormatter):
    """Writes `-e, --execute SQL`, as Python 3.13 does, in every Python: the reference shows the help."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)} {self._format_args(action, action.dest.upper())}"


def _parser(given: list[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="airflow-nrt", description=__doc__)
    parser.add_argument("--version", action="version", version=f"airflow-nrt {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    wanted = next((word for word in given if not word.startswith("-")), None)
    for name, help_text in COMMANDS.items():
        description = help_text[0].upper() + help_text[1:] + "."
        command = commands.add_parser(name, help=help_text, description=description, formatter_class=_Help)
        command.add_argument("--debug", action="store_true", help="show stack traces")
        if name == wanted:
            # Only the wanted command's module is imported, so that light commands stay fast.
            module = module_of(name)
            module.add_arguments(command)
            command.set_defaults(run=module.run, parser=command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
