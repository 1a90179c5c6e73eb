"""Files that a report publishes: they have the mode that any new file of this process has."""

from __future__ import annotations

import os


def _umask() -> int:
    # There is no other way to read it; whoever makes a file at this moment makes it private.
    found = os.umask(0o077)
    os.umask(found)
    return found


PUBLIC = 0o666 & ~_umask()
