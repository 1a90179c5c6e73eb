"""A verification reads a table as of its log entry, and asks the history of the table who changed a window."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import functions as F

from airflow_nrt.describe.table_history import WindowHistory
from airflow_nrt.describe.verdict import Verdict, verdict_lines
from airflow_nrt.engine.java.objects import java_class
from airflow_nrt.engine.sinks import sink_of
from airflow_nrt.engine.spark.lakehouse.iceberg_catalog import IcebergPlace
from airflow_nrt.engine.verify import verify as verifying
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.heartbeat import now_ms
from airflow_nrt.home.notes.verdicts import kept_verdicts
from airflow_nrt.model.plan import Plan
from tests.engine.reports import HOUR, MINUTE, MORNING, Stream
from tests.engine.sinks.jdbc.reports import CURVE, arrive
from tests.engine.sinks.lakehouse.reports import TUMBLED, Format, table_of

FIRST = ((1, 5, "10:01:00"), (2, 7, "10:12:00"), (1, 9, "10:22:30"))


def maintain(stream: Stream) -> None:
    """Compacts the table, and leaves nothing of its history that can be read."""
    (insert,) = stream.plan.inserts
    sink_of(insert).maintain(stream.driver.spark, stream.home, insert, now_ms())


def after_the_log_is_read(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    read = verifying.history_of

    def read_before(*given):
        history = read(*given)
        do()
        return history

    monkeypatch.setattr(verifying, "history_of", read_before)


def change(spark, plan: Plan) -> None:
    """A cell of the first window, in the way of the format."""
    name = table_of(spark, plan).sql_name
    if plan.inserts[0].sink.connector == "delta":
        spark.conf.set("spark.databricks.delta.commitInfo.userMetadata", "ticket 7")
        try:
            spark.sql(f"UPDATE {name} SET gmv = 4 WHERE window_end = '2024-06-18 10:10:00'")
        finally:
            spark.conf.unset("spark.databricks.delta.commitInfo.userMetadata")
        return
    wrong = "IF(window_end = '2024-06-18 10:10:00', CAST(4 AS DECIMAL(20, 2)), gmv) AS gmv"
    rows = spark.table(name).selectExpr("shop", "window_end", "n", wrong)
    rows.writeTo(name).option("snapshot-property.ticket", "7").overwrite(F.lit(True))


def compact_wrongly(spark, plan: Plan) -> None:
    """A compaction of somebody else, which says that it changes no row. Rows are twice in the table; Iceberg refuses
    more rows than before, so that others are missing there."""
    sink = plan.inserts[0].sink
    if sink.connector == "delta":
        path = sink.options["table-path"]
        rows = spark.read.format("delta").load(path)
        rows.write.format("delta").mode("append").option("dataChange", "false").save(path)
        return
    table, builders = IcebergPlace(spark, sink).load(), java_class(spark._jvm, "org.apache.iceberg.DataFiles")
    tasks, files = table.newScan().planFiles().iterator(), []
    while tasks.hasNext():
        files.append(tasks.next().file())
    rewrite, path = table.newRewrite(), str(files[0].location())
    for n, file in enumerate(files):
        copy = f"{path.removesuffix('.parquet')}-{n}.parquet"
        shutil.copyfile(path.removeprefix("file:"), copy.removeprefix("file:"))
        rewrite.deleteFile(file).addFile(builders.builder(table.spec()).copy(files[0]).withPath(copy).build())
    rewrite.commit()


def history_of(verdict: Verdict) -> WindowHistory:
    (bad,) = verdict.inserts[0].bad
    assert bad.end == MORNING + 10 * HOUR + 10 * MINUTE and bad.history is not None
    return bad.history


def test_who_changed_a_window_is_named(spark, lake: Format, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "changed", CURVE, TUMBLED)
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", *FIRST), source="orders")
    change(spark, plan)
    past = table_of(spark, plan).past("anybody")
    assert past is not None
    stream.absorb(arrive(tmp_path, "1", (1, 9, "10:33:30")), source="orders")
    table_of(spark, plan).compact()
    verdict = verify(spark, plan, stream.home)
    history = history_of(verdict)
    assert history.changed_by is not None and history.changed_by.version == past.newest
    assert history.changed_by.operation.lower() in ("update", "overwrite") and "7" in history.changed_by.note
    assert history.right_in is not None and f"right in version {history.right_in}" in history.text
    assert any(history.text in line for line in verdict_lines(verdict))
    assert verdict.to_json()["inserts"][0]["bad"][0]["history"]["changed_by"]["version"] == past.newest
    (kept,) = kept_verdicts(stream.home, {}).values()
    assert kept.history_of("curve", MORNING + 10 * HOUR + 10 * MINUTE) == history.text
    # The table is compacted once more, and forgets.
    maintain(stream)
    history = history_of(verify(spark, plan, stream.home))
    assert history.changed_by is None and history.text.startswith("what changed it is not known: ")


def test_a_compaction_that_changes_rows_is_named(spark, lake: Format, tmp_path: Path) -> None:
    plan = lake.plan(tmp_path, "doubled", CURVE, TUMBLED)
    stream = Stream(spark, plan, tmp_path / "home")
    # Each window has a file of its own.
    stream.absorb(arrive(tmp_path, "0", *FIRST[:2]), source="orders")
    stream.absorb(arrive(tmp_path, "1", *FIRST[2:]), source="orders")
    right = table_of(spark, plan).past("anybody")
    compact_wrongly(spark, plan)
    past = table_of(spark, plan).past("anybody")
    assert right is not None and past is not None
    bad = verify(spark, plan, stream.home).inserts[0].bad
    assert len(bad) == 2
    for one in bad:
        assert one.history is not None and one.history.changed_by is not None
        assert (one.history.changed_by.version, one.history.right_in) == (past.newest, right.newest)


def test_a_driver_that_publishes_meanwhile_changes_nothing(
    spark, lake: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It replaces a window, which would else be pending."""
    plan = lake.plan(tmp_path, "meanwhile", CURVE, TUMBLED, late__updates="on", last__result="1 h")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", *FIRST), source="orders")

    def publish() -> None:
        stream.absorb(arrive(tmp_path, "1", (1, 3, "10:02:00"), (1, 9, "10:33:30")), source="orders")

    with monkeypatch.context() as at_once:
        after_the_log_is_read(at_once, publish)
        verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and not verdict.notes
    assert (verdict.windows, verdict.equal) == (2, 2)

    def publish_more() -> None:
        stream.absorb(arrive(tmp_path, "2", (1, 3, "10:03:00"), (1, 9, "10:44:30")), source="orders")
        forget(spark, stream)

    after_the_log_is_read(monkeypatch, publish_more)
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and verdict.windows == 2
    (note,) = verdict.notes
    assert note.endswith("the table is verified as it is now")


def forget(spark, stream: Stream) -> None:
    """The table's history before its newest version."""
    sink = stream.plan.inserts[0].sink
    if sink.connector == "iceberg":
        maintain(stream)
        return
    table_of(spark, stream.plan)._snapshot().deltaLog().checkpoint()
    for file in sorted((Path(sink.options["table-path"]) / "_delta_log").glob("*.json"))[:-1]:
        file.unlink()
