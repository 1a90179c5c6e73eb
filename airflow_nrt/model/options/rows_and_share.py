"""A number of rows, a share of all rows, or the larger of both: `100`, `0.1 %`, `100, 0.1 %`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class RowsAndShare:
    """At most so many `rows`, or this `share` of all rows, in percent as it was written. False if it allows none."""

    rows: int = 0
    share: str = "0"

    @classmethod
    def read(cls, text: str) -> RowsAndShare:
        """Raises ValueError."""
        parts = [part.strip() for part in text.split(",")]
        shares = [part.removesuffix("%").rstrip() for part in parts if part.endswith("%")]
        rows = [part for part in parts if not part.endswith("%")]
        is_known = (
            all(re.fullmatch(r"\d{1,12}", one) for one in rows)
            and all(re.fullmatch(r"\d{1,3}(\.\d{1,6})?", one) and Decimal(one) <= 100 for one in shares)
            and len(rows) <= 1
            and len(shares) <= 1
        )
        if not is_known:
            raise ValueError(f"{text!r} is no number of rows and no share of them: write for example '100, 0.1 %'")
        return cls(int(rows[0]) if rows else 0, shares[0] if shares else "0")

    def __bool__(self) -> bool:
        return self.rows > 0 or Decimal(self.share) > 0

    def __str__(self) -> str:
        texts = [str(self.rows)] if self.rows else []
        return ", ".join([*texts, f"{self.share} %"] if Decimal(self.share) else texts) or "0"

    def allows(self, some: int, of_all: int) -> bool:
        """Whether some of all rows are within the number, or within the share."""
        return some <= self.rows or 100 * some <= Decimal(self.share) * of_all
