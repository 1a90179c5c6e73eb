"""Side by side with Flink, DuckDB, Spark's own aggregation and a scheduled batch job; prints one table of ratios.

python -m bench.run [--rows 5000000] [--runs 3] [--full] [-k PATTERN] [--flink PYTHON] [--out bench/out]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
from dataclasses import asdict
from pathlib import Path

from bench.cluster import cluster_contest
from bench.contests import Contest, contests, emptied
from bench.orders import write
from bench.processes import Figures
from bench.same_rows import difference


def main() -> None:
    options = _parser().parse_args()
    flink = options.flink if options.flink is not None and options.flink.exists() else None
    if flink is None:
        print("no Flink here (make .flink): only the others are measured", flush=True)
    day = write(options.out, options.rows)
    held = [one for one in [*contests(day, flink, options.full), cluster_contest(day)] if options.k in one.name]
    measurements = []
    for contest in held:
        measurements.append(hold(contest, options.runs, options.out.absolute()))
        print(line(measurements[-1]), flush=True)
    machine = {"cores": os.cpu_count(), "system": platform.platform(), "rows": options.rows}
    (options.out / "results.json").write_text(json.dumps({"machine": machine, "contests": measurements}, indent=1))
    print(table(measurements))


def hold(contest: Contest, runs: int, out: Path) -> dict[str, object]:
    """The figures of both, in turn. Raises RuntimeError if their results differ, because no time counts then."""
    figures: dict[str, list[Figures]] = {"ours": [], "peer": []}
    for n in range(runs):
        for side, contestant in (("ours", contest.ours), ("peer", contest.peer)):
            place = emptied(out / side)
            figures[side].append(contestant.run(place))
            latest = figures[side][-1]
            print(f"  {contest.name}: {contestant.name} {latest.seconds:.1f} s, {latest.cpu:.1f} s of CPU", flush=True)
        if n == 0:
            ours, peer = contest.ours.result(out / "ours"), contest.peer.result(out / "peer")
            found = difference(ours, peer, contest.names, contest.where)
            if found:
                raise RuntimeError(f"{contest.name}: {contest.peer.name} has another result: {found}")
    medians = {
        side: {name: statistics.median(asdict(one)[name] for one in each) for name in ("seconds", "cpu", "peak")}
        for side, each in figures.items()
    }
    ratio = medians["peer"][contest.figure] / medians["ours"][contest.figure]
    names = {"name": contest.name, "peer": contest.peer.name, "figure": contest.figure, "goal": contest.goal}
    runs_of = {side: [asdict(one) for one in each] for side, each in figures.items()}
    return {**names, "ratio": ratio, "medians": medians, "runs": runs_of}


def line(measured: dict) -> str:
    figure, medians = measured["figure"], measured["medians"]
    ours, peer = medians["ours"][figure], medians["peer"][figure]
    unit = "s of CPU" if figure == "cpu" else "s"
    return (
        f"| {measured['name']} | {measured['peer']} | {ours:.1f} {unit} | {peer:.1f} {unit} | "
        f"{measured['ratio']:.2f} | {measured['goal']:g} |"
    )


def table(measurements: list[dict]) -> str:
    head = "| work | against | airflow-nrt | peer | peer / airflow-nrt | goal |\n|---|---|---|---|---|---|"
    return "\n".join([head, *map(line, measurements)])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--runs", type=int, default=3, help="of each side, in turn; the median counts (default: 3)")
    parser.add_argument("--full", action="store_true", help="also Flink with RocksDB and checkpoints, and more samples")
    parser.add_argument("-k", default="", metavar="PATTERN", help="only contests with this in their name")
    parser.add_argument("--flink", type=Path, metavar="PYTHON", help="a Python that has apache-flink")
    parser.add_argument("--out", type=Path, default=Path("bench/out"))
    return parser


if __name__ == "__main__":
    main()
