"""A class data archive: the JVM maps Spark's classes instead of parsing them, so that a driver starts faster.

`airflow-nrt prepare` makes it, for this Java and this Spark, by running a small report. Drivers of the same environment
then use it; a JVM that it does not fit passes it over. Where there is no command line, as in an image of Spark,
`python -m airflow_nrt.engine.java.class_archive` is the same.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from airflow_nrt.basics.errors import InputError

VARIABLE = "SPARK_SUBMIT_OPTS"
"""Options of every JVM that spark-submit or pyspark starts on this host."""
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


def archive(java_home: str | None) -> Path:
    """Where the archive of this Java and this Spark lies, made or not.

    Raises OSError if there is no Java, and PackageNotFoundError where Spark is no package.
    """
    java = Path(java_home) / "bin" / "java" if java_home else Path(shutil.which("java") or "java")
    stat = java.resolve().stat()
    pyspark = find_spec("pyspark")
    spark = os.environ.get("SPARK_HOME") or (pyspark.origin if pyspark is not None else None)
    identity = f"{java.resolve()} {stat.st_size} {stat.st_mtime_ns} {version('pyspark')} {spark}"
    name = hashlib.blake2b(identity.encode(), digest_size=8).hexdigest()
    return Path(sys.prefix) / "share" / "airflow-nrt" / f"spark-{name}.jsa"


def archive_options(java_home: str | None) -> dict[str, str]:
    """The variable that lets the JVMs of a process use the archive; empty where there is none, or options name one."""
    options = os.environ.get(VARIABLE, "")
    if _is_named(options):
        return {}
    use = use_of_archive(java_home)
    return {VARIABLE: " ".join([*([options] if options else []), *use])} if use else {}


def lacking(java_home: str | None) -> Path | None:
    """Where the archive that this process could use would lie; None if it is there, can't be, or options name one."""
    if _is_named(os.environ.get(VARIABLE, "")):
        return None
    try:
        file = archive(java_home)
    except (OSError, PackageNotFoundError):
        return None
    return None if file.exists() else file


def _is_named(options: str) -> bool:
    return "SharedArchive" in options or "ArchiveClasses" in options


def use_of_archive(java_home: str | None) -> tuple[str, ...]:
    """Options of a JVM that maps the archive; none where there is none. One that it does not fit is passed over."""
    try:
        file = archive(java_home)
    except (OSError, PackageNotFoundError):
        return ()
    # A path with spaces would be two options.
    if not file.exists() or " " in str(file):
        return ()
    return (f"-XX:SharedArchiveFile={file}", "-Xshare:auto", "-Xlog:disable", "-Xlog:all=error:stderr")


def make() -> Path:
    """Makes the archive anew: a report is streamed and verified while the JVM takes notes."""
    from airflow_nrt.engine.driver.run import Runner
    from airflow_nrt.engine.spark.session import start_session
    from airflow_nrt.engine.verify.verify import verify
    from airflow_nrt.home.home import Home
    from airflow_nrt.sql.load import plan_script

    file = archive(os.environ.get("JAVA_HOME"))
    file.parent.mkdir(parents=True, exist_ok=True)
    notes = file.with_suffix(f".{os.getpid()}")
    os.environ[VARIABLE] = f"-XX:ArchiveClassesAtExit={notes} -Xlog:disable"
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
    if notes.exists():
        os.replace(notes, file)
    return file


def prepare() -> Path | None:
    """The archive of the Java that drivers get on this host, made unless it is there; None if this Java makes none.

    Raises InputError if there is no Java, or if the environment can't be written to.
    """
    from airflow_nrt.engine.java.finding import ensure_java

    ensure_java()
    file = archive(os.environ.get("JAVA_HOME"))
    if file.exists():
        return file
    try:
        file = make()
    except PermissionError as wrong:
        raise InputError(f"{wrong.filename} can't be written: run this as the user who owns {sys.prefix}") from None
    return file if file.exists() else None


def told(made: Path | None) -> str:
    """One line about what `prepare` gave."""
    return f"class archive: {made}" if made else "class archive: this Java makes none, drivers start without"


if __name__ == "__main__":
    print(told(prepare()))
