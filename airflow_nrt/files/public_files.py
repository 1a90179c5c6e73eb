"""Files that a report publishes: they have the mode of any new file of this process."""

from __future__ import annotations

import os


def _umask() -> int:
    # There is no other way to read the umask; a file that is created at this moment becomes private.
    found = os.umask(0o077)
    os.umask(found)
    return found


PUBLIC = 0o666 & ~_umask()
