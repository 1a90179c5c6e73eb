"""Makes the class archive of this Java and this Spark (`java/class_archive.py`), by running a small report."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from airflow_nrt.basics.errors import InputError
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.java.class_archive import VARIABLE, archive
from airflow_nrt.engine.java.finding import ensure_java
from airflow_nrt.engine.spark.session import start_session
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.sql.load import plan_script

_REPORT = """
CREATE TABLE orders (shop INT, buyer INT, price DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'csv');
CREATE TABLE curve (shop INT, window_end TIMESTAMP(3), buyers BIGINT, gmv DECIMAL(38, 2))
WITH ('connector' = 'filesystem', 'path' = 'curve', 'format' = 'parquet');
INSERT INTO curve SELECT shop, window_end, COUNT(DISTINCT buyer), SUM(price)
FROM TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' DAY))
GROUP BY shop, window_start, window_end;
"""
_ORDERS = ("1,1,1.50,2024-06-18 00:01:00\n1,2,2.50,2024-06-18 00:02:00\n", "1,1,3.50,2024-06-18 00:31:00\n")


def made_archive(say: Callable[[str], None]) -> Path | None:
    """The archive of the Java of drivers on this host, made if it does not exist; None if this Java makes none.

    Raises InputError if there is no Java, or if the environment is not writable.
    """
    ensure_java()
    file = archive(os.environ.get("JAVA_HOME"))
    if file.exists():
        return file
    say("a class archive is to be made: a small report runs for it, once")
    try:
        with _recorded(file) as notes:
            _run()
        if notes.exists():
            os.replace(notes, file)
    except PermissionError as wrong:
        raise InputError(f"{wrong.filename} can't be written: run this as the user who owns {sys.prefix}") from None
    return file if file.exists() else None


@contextmanager
def _recorded(file: Path) -> Iterator[Path]:
    """Where a JVM that begins inside writes the classes that it has loaded, when it ends."""
    file.parent.mkdir(parents=True, exist_ok=True)
    notes = file.with_suffix(f".{os.getpid()}")
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = f"-XX:ArchiveClassesAtExit={notes} -Xlog:disable"
    try:
        yield notes
    finally:
        # Else every later JVM would write an archive, too.
        if before is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = before


def _run() -> None:
    """Runs and verifies a report; the JVM has ended afterwards."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "orders").mkdir()
        for n, lines in enumerate(_ORDERS):
            (place / "orders" / f"{n}.csv").write_text(lines)
        plan = plan_script(_REPORT, {}, "archive", place)
        spark = start_session("class archive", "local[2]", {})
        spark.sparkContext.setLogLevel("OFF")
        home = Home.create(place / "home", plan)
        Runner(spark, plan, home, available_now=True).run()
        verify(spark, plan, home)
        gateway = spark.sparkContext._gateway
        spark.stop()
        process: subprocess.Popen[bytes] = gateway.proc  # type: ignore[union-attr]
        gateway.shutdown()  # type: ignore[union-attr]
        assert process.stdin is not None
        process.stdin.close()
        process.wait(120)
