"""A directory with a tiny report and its data: late rows, a row that is dropped, a line that can't be read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

REPORT = """\
SET 'pipeline.name' = 'curve';

CREATE TABLE orders (
    id BIGINT,
    shop STRING,
    price DECIMAL(10, 2),
    ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES
) WITH (
    'connector' = 'filesystem',
    'path' = 'orders',
    'format' = 'csv',
    'csv.ignore-parse-errors' = 'true',
    'source.monitor-interval' = '200 ms',
    'source.max-batch-size' = '1 b'
);

CREATE TABLE curve (
    shop STRING, window_start TIMESTAMP(3), window_end TIMESTAMP(3), cnt BIGINT, gmv DECIMAL(38, 2)
) WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'json');

INSERT INTO curve
SELECT shop, window_start, window_end, COUNT(*), SUM(price)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR))
GROUP BY shop, window_start, window_end;
"""
FILES = (
    "1,a,1.00,2024-06-18 10:01:00\n2,b,2.00,2024-06-18 10:11:00\n",
    "3,a,3.00,2024-06-18 10:40:00\n",
    # Behind the watermark 10:35: the first missed three windows, the second all of its own; the third has a field more.
    "4,a,4.00,2024-06-18 10:02:00\n5,a,5.00,2024-06-18 08:11:00\nsix,a,much,2024-06-18 10:41:00,more\n",
    "7,b,7.00,2024-06-18 11:20:00\n",
)
"""One batch each, for the cap on a batch is one byte."""


def furnish(place: Path, report: str = REPORT, files: Mapping[str, str | bytes] | None = None) -> Path:
    """Writes the report and the files of its source, each a second older than the next; gives the report's path."""
    contents = {f"{n}.csv": text for n, text in enumerate(FILES)} if files is None else files
    for age, (name, content) in enumerate(reversed(contents.items())):
        file = place / "orders" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(file, (1_718_700_000 - age, 1_718_700_000 - age))
    path = place / "curve.sql"
    path.write_text(report)
    return path
