"""Kafka → PostgreSQL, Delta, Iceberg and an archive, while driver, broker and database are killed again and again.

python -m bench.topic.kills [--times 10] [--rate 1000] [--seed 1]

The moments are random. In the end every window must be in each table once and right, and the archive must equal the
topic.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from airflow_nrt.engine.verify.against_topic import verify_archives
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.sql.load import load_report
from airflow_nrt.usecases.requests.report import DEFAULT_MASTER
from airflow_nrt.usecases.sessions import session
from bench.topic.place import ARCHIVED, LAKES, Place, place

SPEED = 120.0
"""Seconds of event time a second."""
EVERY = (2.0, 12.0)
"""Seconds between two kills."""


@dataclass
class Chaos:
    """Kills, and starts again what it has killed."""

    one: Place
    driver: subprocess.Popen[bytes]

    def kill_driver(self) -> None:
        self.driver.kill()
        self.driver.wait()
        self.driver = self.one.driver()

    def kill_broker(self) -> None:
        self.one.broker.kill()
        self.one.broker.start()

    def kill_database(self) -> None:
        self.one.database.stop("immediate")
        self.one.database.start()


def run(one: Place, times: int, rate: int, seed: int) -> bool:
    chance = random.Random(seed)
    one.write(ARCHIVED, LAKES)
    chaos = Chaos(one, one.driver())
    kills = [kill for kill in (chaos.kill_driver, chaos.kill_broker, chaos.kill_database) for _ in range(times)]
    chance.shuffle(kills)
    waits = [chance.uniform(*EVERY) for _ in kills]
    producer = one.producer(rate, int(sum(waits) * 1.5) + 60, SPEED)
    began = time.monotonic()
    for n, (kill, wait) in enumerate(zip(kills, waits), 1):
        time.sleep(wait)
        kill()
        at = time.monotonic() - began
        print(f"{at:5.0f} s  {n:2} of {len(kills)}: {kill.__name__}, {one.read():,} records read", flush=True)
        if chaos.driver.poll() is not None:
            print(f"the driver has ended by itself: {one.path / 'driver.log'}")
            return False
    sent = producer.wait()
    chaos.driver.kill()
    chaos.driver.wait()
    assert sent == 0 and one.driver("--available-now").wait() == 0
    plan = load_report(one.path / "curve.sql", {})
    with session(plan, DEFAULT_MASTER) as spark:
        verdict = verify(spark, plan, one.home)
        (archive,) = verify_archives(spark, plan, one.home)
    count, once = one.database.query("SELECT COUNT(*), COUNT(DISTINCT (item, window_end)) FROM curve")[0]
    print(verdict.text)
    for each in verdict.inserts:
        print(f"  {each.insert}: {each.windows} windows, {each.equal} equal, {each.unexplained} unexplained")
    print(*archive.lines, sep="\n")
    print(f"{count} rows of the table, {once} keys and windows; {one.read():,} records read")
    return verdict.is_proven and archive.is_equal and archive.equal == one.read() and count == once


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("bench/out/kills"))
    given = parser.parse_args()
    path = given.out.absolute()
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    with place(path) as one:
        right = run(one, given.times, given.rate, given.seed)
    print("every window once and right, the archive equals the topic" if right else "WRONG")
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
