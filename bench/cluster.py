"""The stream on a standalone cluster of two workers of one core each, which are started and stopped here."""

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
    """Beside the same cores in one process."""
    alone = stream(CUMULATE, day.csv, more=("--master", "local[2]"))
    return Contest("catch-up on a cluster, CUMULATE", 0.67, on_cluster(day), replace(alone, name="local[2]"))


def on_cluster(day: Day) -> Contestant:
    """Until the driver ends, on a cluster that stands already; the processor time of executors is in it."""

    def run(place: Path) -> Figures:
        (place / "cluster").mkdir()
        with standalone(place / "cluster", workers=2, cores=1, memory="2g") as cluster:
            before = cluster.cpu()
            figures = stream(CUMULATE, day.csv, more=("--master", cluster.url, *HERE)).run(place)
            return replace(figures, cpu=figures.cpu + cluster.cpu() - before)

    return Contestant("airflow-nrt", run, stream(CUMULATE, day.csv).result)
