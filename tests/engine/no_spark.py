"""For what takes a session and needs none: what publishes files."""

from typing import Any

NO_SPARK: Any = None
