"""The stream on a standalone cluster of two one-core workers, which this module starts and stops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.contests import Contest, Contestant, stream
from bench.orders import Day
from bench.processes import Figures
from bench.reports import CUMULATE
from tests.launch.standalone import standalone

HERE = ("--set", "spark.driver.host=127.0.0.1", "--set", "spark.driver.bindAddress=127.0.0.1")


def cluster_contest(day: Day) -> Contest:
    """Compared with the same cores in one process."""
    alone = stream(CUMULATE, day.csv, more=("--master", "local[2]"))
    return Contest("catch-up on a cluster, CUMULATE", 0.67, on_cluster(day), replace(alone, name="local[2]"))


def on_cluster(day: Day) -> Contestant:
    """Runs until the driver ends, on a running cluster; the CPU time of executors is included."""

    def run(place: Path) -> Figures:
        (place / "cluster").mkdir()
        with standalone(place / "cluster", workers=2, cores=1, memory="2g") as cluster:
            before = cluster.cpu()
            figures = stream(CUMULATE, day.csv, more=("--master", cluster.url, *HERE)).run(place)
            return replace(figures, cpu=figures.cpu + cluster.cpu() - before)

    return Contestant("airflow-nrt", run, stream(CUMULATE, day.csv).result)
