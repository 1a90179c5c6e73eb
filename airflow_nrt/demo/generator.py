"""A deterministic day of orders, played into a partitioned table as a live source would write it.

    python -m airflow_nrt.demo.generator --out DIR [--rows 300000] [--seconds 60] [--seed 7]

Orders arrive out of order by up to a minute; about one in a hundred comes 6 to 40 minutes late, one in a thousand hours
late, and one bears the year 2099. Files are written aside and renamed into `ds=…/hh=…` of their rows' event time.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import time
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

DAY = datetime(2024, 6, 18)
AFTER_MIDNIGHT = 20 * 60
SHOPS, USERS = 200, 60_000
HOURS = (5, 3, 2, 1.5, 1, 1.5, 3, 5, 7, 9, 10, 11, 12, 10, 9, 9, 9, 9, 10, 12, 15, 16, 13, 8, 5)
"""How busy each hour is; the last is the one past midnight."""
FUTURE = datetime(2099, 1, 1)


@dataclass(frozen=True)
class Order:
    """`arrives` and `paid` in seconds since the day began."""

    arrives: float
    paid: float
    line: str
    partition: str


def orders(rows: int, seed: int) -> list[Order]:
    """The day and some minutes past midnight, in order of arrival."""
    choose = random.Random(seed)
    span = 86_400 + AFTER_MIDNIGHT
    weights = [HOURS[second // 3600] for second in range(0, span, 60)]
    minutes = list(itertools.accumulate(weights))
    shops = list(itertools.accumulate(1 / rank**1.1 for rank in range(1, SHOPS + 1)))
    made = []
    for number in range(rows):
        minute = bisect(minutes, choose.random() * minutes[-1])
        paid = min(minute * 60 + choose.random() * 60, span - 0.001)
        shop = bisect(shops, choose.random() * shops[-1]) + 1
        user = int(USERS * choose.random() ** 1.5) + 1
        cents = int(choose.lognormvariate(8, 1)) + 1
        made.append(_order(number, paid, paid + _delay(choose, number), shop, user, cents))
    made.append(_order(rows, (FUTURE - DAY).total_seconds(), 36_000, 1, 1, 100))
    return sorted(made, key=lambda order: order.arrives)


def _delay(choose: random.Random, number: int) -> float:
    luck = choose.random()
    if luck < 0.001:
        return choose.uniform(2 * 3600, 6 * 3600)
    return choose.uniform(360, 2400) if luck < 0.011 else choose.uniform(0, 60)


def _order(number: int, paid: float, arrives: float, shop: int, user: int, cents: int) -> Order:
    moment = DAY + timedelta(seconds=paid)
    stamp = moment.strftime("%Y-%m-%d %H:%M:%S.") + f"{moment.microsecond // 1000:03d}"
    line = f"{number},{shop},{user},{cents // 100}.{cents % 100:02d},{stamp}\n"
    return Order(min(arrives, 86_400 + AFTER_MIDNIGHT), paid, line, moment.strftime("ds=%Y-%m-%d/hh=%H"))


def batches(made: list[Order], length: float) -> Iterator[list[Order]]:
    """The orders that arrive in each span of this many seconds of the day."""
    for _, group in itertools.groupby(made, key=lambda order: int(order.arrives / length)):
        yield list(group)


def arriving(made: list[Order], seconds: float, every: float = 0.5) -> Iterator[list[Order]]:
    """The day in about this many seconds: the orders of each span of `every` seconds, when that has come."""
    parts = max(int(seconds / every), 1)
    started = time.monotonic()
    for number, batch in enumerate(batches(made, (86_400 + AFTER_MIDNIGHT + 1) / parts)):
        time.sleep(max(0.0, started + number * every - time.monotonic()))
        yield batch


def play(out: Path, rows: int, seconds: float, seed: int, every: float = 0.5) -> None:
    """Writes the day in about this many seconds, one file per partition in each span of `every` seconds."""
    for number, batch in enumerate(arriving(orders(rows, seed), seconds, every)):
        write(out, batch, number)
    (out / "_complete").touch()


def write(out: Path, batch: list[Order], number: int) -> None:
    """One file per partition, each appearing whole."""
    lines: dict[str, list[str]] = defaultdict(list)
    for order in batch:
        lines[order.partition].append(order.line)
    for partition, content in lines.items():
        directory = out / partition
        directory.mkdir(parents=True, exist_ok=True)
        aside = directory / f".part-{number:05d}.csv.{os.getpid()}"
        aside.write_text("".join(content))
        aside.rename(directory / f"part-{number:05d}.csv")


def add_day(parser: argparse.ArgumentParser) -> None:
    """The arguments that choose the day."""
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--seconds", type=float, default=60, help="how long the day takes")
    parser.add_argument("--seed", type=int, default=7)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the table's directory")
    add_day(parser)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    play(options.out, options.rows, options.seconds, options.seed)


if __name__ == "__main__":
    main()
