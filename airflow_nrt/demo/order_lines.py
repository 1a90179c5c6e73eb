"""The demonstration's day of orders as lines for Kafka's console producer: key, tab, value.

    python -m airflow_nrt.demo.order_lines [--rows 300000] [--seconds 60] [--seed 7]

The key is the shop, so that a shop's orders are in one partition, in the order of their arrival.
"""

from __future__ import annotations

import argparse
import sys

from airflow_nrt.demo.generator import Order, add_day, arriving, orders


def record(order: Order) -> str:
    number, shop, user, price, time = order.line.rstrip("\n").split(",")
    # The price is written as it is: a float would not be the same amount.
    value = f'"order_id": {number}, "shop_id": {shop}, "user_id": {user}, "price": {price}, "pay_time": "{time}"'
    return f"{shop}\t{{{value}}}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_day(parser)
    options = parser.parse_args()
    for batch in arriving(orders(options.rows, options.seed), options.seconds):
        sys.stdout.writelines(map(record, batch))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
