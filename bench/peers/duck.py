"""The day in DuckDB, written as an expert would: sums by slice, first-seen users, one running sum over the steps.

python -m bench.peers.duck PARQUET OUT
"""

from __future__ import annotations

import sys

import duckdb

DAY = """
COPY (
WITH orders AS (
  SELECT item_id, user_id, price, CAST((epoch_ms(pay_time) // 600000) % 144 AS INT) AS slice
  FROM read_parquet('{data}/*/*/*.parquet')
), sums AS (
  SELECT item_id, slice, sum(price) AS sales, count(*) AS orders FROM orders GROUP BY ALL
), firsts AS (
  SELECT item_id, slice, count(*) AS buyers
  FROM (SELECT item_id, user_id, min(slice) AS slice FROM orders GROUP BY ALL) GROUP BY ALL
), steps AS (
  SELECT item_id, unnest(range(min(slice), 144)) AS slice FROM sums GROUP BY item_id
)
SELECT item_id, TIMESTAMP '2024-06-18' AS window_start,
  TIMESTAMP '2024-06-18' + (slice + 1) * INTERVAL 10 MINUTE AS window_end,
  sum(sales) OVER running AS sales, sum(orders) OVER running AS orders, sum(buyers) OVER running AS buyers
FROM steps LEFT JOIN sums USING (item_id, slice) LEFT JOIN firsts USING (item_id, slice)
WINDOW running AS (PARTITION BY item_id ORDER BY slice)
) TO '{out}' (FORMAT parquet)
"""


def main() -> None:
    data, out = sys.argv[1:]
    connection = duckdb.connect(config={"threads": 2})
    connection.execute(DAY.format(data=data, out=out))


if __name__ == "__main__":
    main()
