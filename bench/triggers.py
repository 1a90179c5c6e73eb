"""Driver triggers in one event loop, as a triggerer runs them: per cent of a core, while drivers write a heartbeat once
a second.

python -m bench.triggers [--triggers 200] [--seconds 60] [--out bench/out]
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import shutil
import time
from pathlib import Path

from airflow_nrt.home.heartbeat import RUNNING, Heartbeat, write_heartbeat
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import load_report
from airflow_nrt.triggers.driver import NrtDriverTrigger
from bench.reports import CUMULATE, files

EVERY_SECONDS = 1.0
WARM_UP_SECONDS = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triggers", type=int, default=200, help="each on a home of its own (default: 200)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to watch (default: 60)")
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    options = parser.parse_args()
    place = options.out.absolute() / "triggers"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    homes = [home.path for home in made(place, options.triggers)]
    drivers = multiprocessing.get_context("spawn").Process(target=beat, args=(homes,), daemon=True)
    drivers.start()
    time.sleep(2 * EVERY_SECONDS)
    share = asyncio.run(watched([str(home) for home in homes], options.seconds))
    drivers.kill()
    print(f"{options.triggers} triggers over {options.seconds:g} s: {share:.1%} of a core")


def made(place: Path, count: int) -> list[Home]:
    source = files(place / "orders", "csv", {"source.monitor-interval": "1 s"})
    (place / "sales.sql").write_text(CUMULATE.script(source, place / "sales"))
    plan = load_report(str(place / "sales.sql"), {})
    return [Home.create(str(place / f"home{n}"), plan) for n in range(count)]


def beat(homes: list[Path]) -> None:
    """The drivers: only what their triggers read."""
    found = [Home.open(str(home)) for home in homes]
    while True:
        for home in found:
            write_heartbeat(home.heartbeats, Heartbeat(RUNNING, 1, "bench", 42, 0, "application"))
        time.sleep(EVERY_SECONDS)


async def watched(homes: list[str], seconds: float) -> float:
    """The share of a core that these triggers take."""
    running = [asyncio.create_task(ended(NrtDriverTrigger(home, epoch=1))) for home in homes]
    await asyncio.sleep(WARM_UP_SECONDS)
    began, used = time.monotonic(), time.process_time()
    await asyncio.sleep(seconds)
    share = (time.process_time() - used) / (time.monotonic() - began)
    fired = [task.result() for task in running if task.done()]
    if fired:
        raise RuntimeError(f"{len(fired)} triggers fired, the first with {fired[0]}")
    for task in running:
        task.cancel()
    return share


async def ended(trigger: NrtDriverTrigger) -> object:
    async for event in trigger.run():
        return event
    return None


if __name__ == "__main__":
    main()
