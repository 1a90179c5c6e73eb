"""Reports with Python functions, which run in PyFlink unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_TEN = "INTERVAL '10' MINUTES"


@dataclass(frozen=True)
class Program:
    """`query` fills a placeholder of its file; `names` are the columns of its result."""

    name: str
    file: Path
    names: str
    query: str = ""

    def values(self, columns: str, source: str, sink: str) -> list[str]:
        """The values of its placeholders, as KEY=VALUE."""
        filled = [f"COLUMNS={columns}", f"SOURCE={source}", f"SINK={sink}"]
        return [*filled, f"QUERY={self.query}"] if self.query else filled


_AGGREGATE = Path(__file__).with_name("python_aggregate.py"), "item_id window_start window_end mean"
PANDAS_MAP = Program("pandas map", Path(__file__).with_name("pandas_map.py"), "item_id sales")
TUMBLE = Program(
    "Python aggregate, TUMBLE",
    *_AGGREGATE,
    f"item_id, TUMBLE_START(pay_time, {_TEN}), TUMBLE_END(pay_time, {_TEN}), mean(user_id) "
    f"FROM orders GROUP BY item_id, TUMBLE(pay_time, {_TEN})",
)
CUMULATE = Program(
    "Python aggregate, CUMULATE",
    *_AGGREGATE,
    "item_id, window_start, window_end, mean(user_id) "
    f"FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(pay_time), {_TEN}, INTERVAL '1' DAY)) "
    "GROUP BY item_id, window_start, window_end",
)
