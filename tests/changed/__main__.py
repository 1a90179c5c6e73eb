"""Runs the tests that a change can reach, and says what it leaves out.

    python -m tests.changed [FILE…] [--base COMMIT] [--list] [-- OPTIONS OF PYTEST]

Without files: what differs from the base, by default from where the branch left its upstream. `--list` runs nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from tests.changed.files import changed_since
from tests.changed.graph import ROOT, Graph, of_clone
from tests.changed.selection import ALL, Selection, is_test, select


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.changed", description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE", help="files that have changed, instead of asking git")
    parser.add_argument("--base", metavar="COMMIT", help="what differs from this commit has changed")
    parser.add_argument("--list", action="store_true", help="says what would run, and why")
    given = list(sys.argv[1:] if arguments is None else arguments)
    before, options = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    asked = parser.parse_args(before)
    changed = [_from_root(file) for file in asked.files] or changed_since(asked.base)
    if not changed:
        print("nothing has changed")
        return 0
    graph = of_clone()
    selection = select(changed, graph)
    print("\n".join(summary(changed, selection, graph)))
    if not selection.tiers:
        return 0
    if asked.list:
        for test, why in sorted(selection.reasons.items()):
            tiers = selection.tiers[test]
            print(f"  {test}: {'all' if tiers == ALL else ' and '.join(sorted(tiers))}, {why}")
        return 0
    return run(selection, options)


def run(selection: Selection, options: Sequence[str]) -> int:
    """Runs them with pytest; its exit status."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "selection.json"
        selection.write(file)
        command = [sys.executable, "-m", "pytest", f"--selection={file}", *options]
        return subprocess.run(command, cwd=ROOT, check=False).returncode


def summary(changed: Sequence[str], selection: Selection, graph: Graph) -> list[str]:
    """What runs and what does not, by folder: whole files, files that run in part, files that are left out."""
    whole, some, none = Counter[str](), Counter[str](), Counter[str]()
    for test in filter(is_test, graph.imports):
        (whole if selection.of(test) == ALL else some if selection.concerns(test) else none)[_folder(test)] += 1
    return [
        f"{len(changed)} changed: {_few(changed)}",
        f"runs whole, {_counted(whole)}",
        f"runs in part, their other tests are left out as too far from the change, {_counted(some)}",
        f"left out, as no import reaches them, {_counted(none)}",
    ]


def _from_root(file: str) -> str:
    return Path(file).resolve().relative_to(ROOT).as_posix()


def _folder(test: str) -> str:
    folders = PurePosixPath(test).parts[1:-1]
    return folders[0] if folders else "."


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _counted(files: Counter[str]) -> str:
    """`3 files: cli 1, engine 2`"""
    folders = ", ".join(f"{folder} {n}" for folder, n in sorted(files.items()))
    return f"{files.total()} files: {folders}" if files else "none"


if __name__ == "__main__":
    sys.exit(main())
