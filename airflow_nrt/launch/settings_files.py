"""The files in the home through which a launcher passes settings to its driver.

launches/<n>.conf       settings of Spark, read by spark-submit; there as long as the launcher is; mode 0600
launches/<n>.settings   those of the report, read by the driver; in cluster mode there until the next launch, as a
                        cluster may start its driver when the launcher has gone, or anew; mode 0600, and 0660 where a
                        group shares the home, because a cluster may run its driver as another member
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from airflow_nrt.basics.spark_properties import spark_properties
from airflow_nrt.files.file_numbers import number_of
from airflow_nrt.files.private_files import write_in_home, write_private
from airflow_nrt.home.home import Home
from airflow_nrt.launch.submission import Submission

SUFFIXES = (".conf", ".settings")


@contextmanager
def settings_files(home: Home, number: str, submission: Submission) -> Iterator[tuple[Path, Path]]:
    """The files of a launch, its `.conf` and its `.settings`. Files that a killed launcher has left are removed,
    too."""
    home.launches.make()
    launches = home.launches.local
    conf, settings = (launches / f"{number}{suffix}" for suffix in SUFFIXES)
    for file in launches.iterdir():
        left = number_of(file.stem) if file.suffix in SUFFIXES else None
        if left is not None and left < int(number):
            file.unlink(missing_ok=True)
    try:
        write_private(conf, spark_properties(submission.conf))
        write_in_home(settings, submission.settings.encode())
        yield conf, settings
    finally:
        conf.unlink(missing_ok=True)
        if submission.connection_extra("deploy-mode") != "cluster":
            settings.unlink(missing_ok=True)
