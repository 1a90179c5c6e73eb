"""What each rule for speed gains: CPU seconds with all rules, and without one of them, in turn.

python -m bench.rules [RULE …] [--rows 5000000] [--runs 3] [--out bench/out]

Of tasks alone (Spark's event log) and of the whole process. A catch-up shows what rows cost; MomentsByReference is for
many batches, so it has a day in 144 of them. The setting plan.rule.… is the only difference.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from pathlib import Path

from airflow_nrt.basics.java_sources import SPEED_RULES, SpeedRule
from bench.contests import AT_ONCE, ONE_BY_ONE, emptied, stream
from bench.orders import Day, write
from bench.reports import CUMULATE

_NANOS = 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="*", metavar="RULE", help="the names of rules (default: all)")
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=3, help="of each side; medians count")
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    options = parser.parse_args()
    day = write(options.out, options.rows)
    place = options.out.absolute() / "rules"
    for rule in SPEED_RULES:
        if options.rules and rule.name not in options.rules:
            continue
        on, off = [], []
        for _ in range(options.runs):
            on.append(cpu(place, day, rule, ()))
            off.append(cpu(place, day, rule, ("--set", f"{rule.switch}=false")))
        print(f"{rule.name}: {compared('tasks', on, off, 0)}; {compared('the process', on, off, 1)}", flush=True)


def cpu(place: Path, day: Day, rule: SpeedRule, without: Sequence[str]) -> tuple[float, float]:
    """CPU seconds of the tasks, and of the whole process."""
    log = emptied(place / "log")
    rows, options = (day.steps, ONE_BY_ONE) if rule.name == "MomentsByReference" else (day.csv, AT_ONCE)
    logged = {"enabled": "true", "dir": f"file:{log}", "compress": "false"}
    settings = [word for name, value in logged.items() for word in ("--set", f"spark.eventLog.{name}={value}")]
    figures = stream(CUMULATE, rows, options, (*settings, *without)).run(emptied(place / "run"))
    return sum(map(of_tasks, (file for file in log.rglob("*") if file.is_file()))), figures.cpu


def of_tasks(log: Path) -> float:
    """CPU seconds of all tasks in one of Spark's event logs."""
    total = 0
    with log.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith('{"Event":"SparkListenerTaskEnd"'):
                total += (json.loads(line).get("Task Metrics") or {}).get("Executor CPU Time", 0)
    return total / _NANOS


def compared(what: str, on: Sequence[Sequence[float]], off: Sequence[Sequence[float]], figure: int) -> str:
    with_it, without = (statistics.median(one[figure] for one in side) for side in (on, off))
    return f"{what} {with_it:.1f} s, without it {without:.1f} s ({without / with_it:.2f} times)"


if __name__ == "__main__":
    main()
