"""The files of the clone that differ from a commit: committed since, edited, removed or new."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.changed.graph import ROOT


def changed_since(base: str | None, root: Path = ROOT) -> list[str]:
    """Paths from the root of the clone. Without a base: since the branch left its upstream, or, without one, HEAD.

    Raises CalledProcessError where git knows no such commit.
    """
    start = _git(root, "merge-base", base or _upstream(root), "HEAD")[0]
    # A file that has got another name is one that is no more and one that is new.
    edited = _git(root, "diff", "--name-only", "--no-renames", start)
    return sorted({*edited, *_git(root, "ls-files", "--others", "--exclude-standard")})


def _upstream(root: Path) -> str:
    try:
        return _git(root, "rev-parse", "--abbrev-ref", "@{upstream}")[0]
    except subprocess.CalledProcessError:
        return "HEAD"


def _git(root: Path, *command: str) -> list[str]:
    done = subprocess.run(["git", "-C", str(root), *command], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
