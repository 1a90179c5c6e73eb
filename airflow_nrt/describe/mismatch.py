"""What a backfill does about published windows that differ from the batch result, if no late row explains it."""

from __future__ import annotations

FAIL, REPAIR, REPORT = ON_MISMATCH = ("fail", "repair", "report")
"""To fail, to publish the batch result instead, or only to say it."""
