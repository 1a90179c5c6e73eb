"""The verifier believes nobody: each way to be wrong is caught, and named."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

from airflow_nrt.describe.verdict import Verdict, verdict_lines
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.engine.windows import execution
from airflow_nrt.home.ledger import LATE_PREFIX
from airflow_nrt.home.log.entries import Commit
from tests.engine.conftest import Streamed
from tests.engine.oracle import Windowing, count_in, milliseconds, watermarks_before
from tests.engine.reports import (
    DAY,
    FEW,
    HOUR,
    MINUTE,
    Stream,
    curve_insert,
    cut,
    events_table,
    plan_of,
    random_events,
    rows_of,
    write_events,
    write_lines,
)

WINDOWING = Windowing("CUMULATE", HOUR, 10 * MINUTE)


def test_honest(spark, streamed: Streamed) -> None:
    verdict = verify(spark, streamed.plan, streamed.home)
    assert verdict.is_proven, verdict_lines(verdict)
    assert verdict.equal > 0 and verdict.explained > 0 and verdict.unexplained == 0 and verdict.pending > 0
    assert verdict.windows == len(streamed.standing)
    arrived = count_in(WINDOWING, streamed.batches, FEW, watermarks_before(streamed.batches))
    last = streamed.home.log().position().operators[streamed.plan.operators[0].name].fired
    assert rows_of(streamed.sink) == [row for row in arrived if milliseconds(row[2]) <= last]
    assert verdict.ledgers[0].claimed == verdict.ledgers[0].found == verdict.late_rows > 0


def test_as_of_what_was_read(spark, streamed: Streamed) -> None:
    """A file that arrived and was not read is counted, and compared with nothing."""
    write_events(streamed.place / "events" / "new.csv", random_events(9, 20, HOUR))
    verdict = verify(spark, streamed.plan, streamed.home)
    assert verdict.is_proven and verdict.unread_files == 1 and verdict.unread_bytes > 0


def test_interval(spark, streamed: Streamed) -> None:
    ends = [one.end for one in streamed.standing]
    verdict = verify(spark, streamed.plan, streamed.home, Interval(ends[2], ends[7]))
    assert verdict.is_proven and verdict.windows == 5


# ---------------------------------------------------------------------------------------------------- the sink


def test_flipped_cell(spark, streamed: Streamed) -> None:
    damaged = streamed.standing[7]
    streamed.rewrite(damaged, lambda rows: [{**rows[0], "users": rows[0]["users"] + 1}, *rows[1:]])
    verdict = verify(spark, streamed.plan, streamed.home)
    check_named(verdict, damaged.end, different=1)
    sample = verdict.inserts[0].bad[0].samples[0]
    assert sample.kind == "different" and sample.published != sample.expected and "shop=" in sample.key


def test_null_instead_of_a_value(spark, streamed: Streamed) -> None:
    damaged = streamed.standing[7]
    streamed.rewrite(damaged, lambda rows: [{**rows[0], "gmv": None}, *rows[1:]])
    check_named(verify(spark, streamed.plan, streamed.home), damaged.end, different=1)


def test_dropped_window(spark, streamed: Streamed) -> None:
    damaged = streamed.standing[4]
    streamed.file(damaged).unlink()
    check_named(verify(spark, streamed.plan, streamed.home), damaged.end, missing=damaged.rows)


def test_dropped_row(spark, streamed: Streamed) -> None:
    damaged = streamed.standing[4]
    streamed.rewrite(damaged, lambda rows: rows[1:])
    check_named(verify(spark, streamed.plan, streamed.home), damaged.end, missing=1)


def test_duplicated_row(spark, streamed: Streamed) -> None:
    damaged = streamed.standing[9]
    streamed.rewrite(damaged, lambda rows: [*rows, rows[-1]])
    check_named(verify(spark, streamed.plan, streamed.home), damaged.end, extra=1)


def test_invented_row(spark, streamed: Streamed) -> None:
    damaged = streamed.standing[9]
    streamed.rewrite(damaged, lambda rows: [*rows, {**rows[-1], "shop": 99}])
    check_named(verify(spark, streamed.plan, streamed.home), damaged.end, extra=1)


def test_row_that_says_another_window(spark, streamed: Streamed) -> None:
    """The file of a window holds a row whose own columns name another one."""
    damaged, other = streamed.standing[9], streamed.standing[3]
    there = rows_by_file(streamed, other)[0]
    streamed.rewrite(damaged, lambda rows: [*rows, there])
    verdict = verify(spark, streamed.plan, streamed.home)
    assert not verdict.is_proven and verdict.inserts[0].rows["extra"] == 1


def test_foreign_file(spark, streamed: Streamed) -> None:
    shutil.copy(streamed.file(streamed.standing[2]), streamed.sink / "more.parquet")
    verdict = verify(spark, streamed.plan, streamed.home)
    assert not verdict.is_proven
    assert any("more.parquet" in problem for problem in verdict.problems)
    assert verdict.inserts[0].bad[-1].extra == streamed.standing[2].rows


def test_damaged_copy(spark, streamed: Streamed, tmp_path: Path) -> None:
    """A copy of the published directory is verified in its stead."""
    shutil.copytree(streamed.sink, tmp_path / "copy")
    assert verify(spark, streamed.plan, streamed.home, published=tmp_path / "copy").is_proven
    (tmp_path / "copy" / streamed.standing[5].target).unlink()
    damaged = verify(spark, streamed.plan, streamed.home, published=tmp_path / "copy")
    check_named(damaged, streamed.standing[5].end, missing=streamed.standing[5].rows)
    assert verify(spark, streamed.plan, streamed.home).is_proven


# ---------------------------------------------------------------------------------------------------- the ledger


def test_ledger_entry_removed(spark, streamed: Streamed) -> None:
    file = ledger_file(streamed)
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[1:]))
    check_ledger(verify(spark, streamed.plan, streamed.home), lacking=1)


def test_ledger_edited(spark, streamed: Streamed) -> None:
    file = ledger_file(streamed)
    text = file.read_text()
    file.write_text(text.replace("2024", "2023"))
    lines = len(text.splitlines())
    check_ledger(verify(spark, streamed.plan, streamed.home), invented=lines, lacking=lines)


def test_ledger_removed(spark, streamed: Streamed) -> None:
    for directory in streamed.home.ledger.local.iterdir():
        shutil.rmtree(directory)
    verdict = verify(spark, streamed.plan, streamed.home)
    check_ledger(verdict, lacking=verdict.late_rows)


def test_ledger_entry_doubled(spark, streamed: Streamed) -> None:
    file = ledger_file(streamed)
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines, lines[0]]))
    check_ledger(verify(spark, streamed.plan, streamed.home), invented=1)


def test_ledger_entry_invented(spark, streamed: Streamed) -> None:
    """A row of the source that was in time is claimed to have been late."""
    file = ledger_file(streamed)
    lines = file.read_text().splitlines()
    record = json.loads(lines[0])
    record["row"]["user_id"] = 12345
    file.write_text("\n".join([*lines, json.dumps(record, separators=(",", ":"))]) + "\n")
    verdict = verify(spark, streamed.plan, streamed.home)
    check_ledger(verdict, invented=1)
    assert any("12345" in sample for sample in verdict.ledgers[0].samples)


def test_ledger_entry_of_no_source_file(spark, streamed: Streamed) -> None:
    file = ledger_file(streamed)
    lines = file.read_text().splitlines()
    record = {**json.loads(lines[0]), "file": "/nowhere/at/all.csv"}
    file.write_text("\n".join([*lines, json.dumps(record, separators=(",", ":"))]) + "\n")
    check_ledger(verify(spark, streamed.plan, streamed.home), invented=1)


# ---------------------------------------------------------------------------------------------------- the log


def commits(streamed: Streamed) -> list[int]:
    return [entry.n for entry in streamed.home.log().audit() if isinstance(entry.body, Commit)]


def test_forged_watermark_before_a_batch(spark, streamed: Streamed) -> None:
    n = commits(streamed)[3]
    operator = streamed.plan.operators[0].name
    streamed.forge(n, lambda entry: entry["seen"].update({operator: entry["seen"][operator] + 30 * MINUTE}))
    verdict = verify(spark, streamed.plan, streamed.home)
    assert not verdict.is_proven
    assert any(f"log entry {n}" in problem and "lateness" in problem for problem in verdict.problems)


def test_forged_watermark_of_an_operator(spark, streamed: Streamed) -> None:
    n = commits(streamed)[3]
    operator = streamed.plan.operators[0].name

    def ahead(entry) -> None:
        entry["position"]["operators"][operator]["watermark"] += 30 * MINUTE

    streamed.forge(n, ahead)
    verdict = verify(spark, streamed.plan, streamed.home)
    assert not verdict.is_proven
    assert any(f"log entry {n}" in problem and "its sources make it" in problem for problem in verdict.problems)


def test_consistent_forgery(spark, streamed: Streamed) -> None:
    """Every entry agrees with every other about a watermark that runs ahead: only the rows show it."""
    operator = streamed.plan.operators[0].name
    from_here = commits(streamed)[2]

    def ahead(entry) -> None:
        if entry["kind"] == "lease":
            return
        if entry["kind"] == "commit" and entry["n"] > from_here:
            entry["seen"][operator] += MINUTE
        entry["position"]["operators"][operator]["watermark"] += MINUTE
        entry["position"]["sources"]["events"]["watermark"] += MINUTE

    for n in range(from_here, streamed.home.log().last + 1):
        streamed.forge(n, ahead)
    verdict = verify(spark, streamed.plan, streamed.home)
    assert not verdict.is_proven
    assert any(
        f"log entry {from_here}" in problem and "the rows of its batch" in problem for problem in verdict.problems
    )


# ---------------------------------------------------------------------------------------------------- the source


def test_source_file_changed(spark, streamed: Streamed) -> None:
    file = streamed.place / "events" / "002.csv"
    with open(file, "a") as lines:
        lines.write(random_events(8, 1, HOUR)[0].line + "\n")
    verdict = verify(spark, streamed.plan, streamed.home)
    assert not verdict.is_proven
    assert any(str(file) in problem and "changed after it was read" in problem for problem in verdict.problems)


def test_source_file_changed_in_secret(spark, streamed: Streamed) -> None:
    """Neither its size nor its time shows it, but what was published does."""
    file = streamed.place / "events" / "001.csv"
    before = os.stat(file)
    text = file.read_text()
    file.write_text(text.replace(",2,", ",3,"))
    assert file.stat().st_size == before.st_size
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    verdict = verify(spark, streamed.plan, streamed.home)
    assert not verdict.is_proven and verdict.unexplained > 0


def test_source_file_gone(spark, streamed: Streamed) -> None:
    file = streamed.place / "events" / "002.csv"
    file.unlink()
    verdict = verify(spark, streamed.plan, streamed.home)
    assert not verdict.is_proven
    assert any(str(file) in problem and "is gone" in problem for problem in verdict.problems)


# ---------------------------------------------------------------------------------------------------- the engine


@pytest.mark.parametrize("claimed", ["its own watermark", "the batch's watermark"])
def test_engine_that_loses_rows_and_calls_them_late(spark, tmp_path: Path, monkeypatch, claimed: str) -> None:
    """1 % of the rows in time go to the ledger as dropped; once with the watermark that would have dropped them."""
    honest = execution.SLICED.absorb

    def losing(store, layout, state, sources):
        rows = sources["events"]
        lost = F.col("id") % 100 == 50
        ahead = rows.withColumn("_nrt_seen", F.when(lost, F.col("_nrt_ts") + DAY).otherwise(F.col("_nrt_seen")))
        partials = honest(store, layout, state, {"events": ahead})
        if claimed == "the batch's watermark":
            mark = rows.select("_nrt_seen").first()[0]
            told = F.regexp_replace("_nrt_late", '"watermark":\\d+', f'"watermark":{mark or 0}')
            partials = partials.withColumn("_nrt_late", told)
        return partials

    plan = plan_of(
        tmp_path,
        events_table(),
        curve_insert("CUMULATE(INTERVAL '10' MINUTE, INTERVAL '1' DAY)", {**FEW, "ids": ("BIGINT", "SUM(id)")}),
    )
    batches = cut(random_events(4, 600, 3 * HOUR), 4, 4)
    monkeypatch.setattr(execution, "SLICED", replace(execution.SLICED, absorb=losing))
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb_batches(tmp_path, batches)
    assert stream.driver.position.dropped == 6
    verdict = verify(spark, plan, stream.home)
    assert not verdict.is_proven
    assert verdict.unexplained > 0 and verdict.inserts[0].rows["different"] > 0
    assert sum(one.invented for one in verdict.ledgers) == 6


# ---------------------------------------------------------------------------------------------------- helpers


def check_named(verdict: Verdict, end: int | None, missing: int = 0, extra: int = 0, different: int = 0) -> None:
    assert not verdict.is_proven
    assert verdict.unexplained == 1
    (bad,) = verdict.inserts[0].bad
    assert (bad.end, bad.missing, bad.extra, bad.different) == (end, missing, extra, different)
    assert end in verdict.inserts[0].unequal_ends
    assert str(bad) in "\n".join(verdict_lines(verdict))


def check_ledger(verdict: Verdict, invented: int = 0, lacking: int = 0) -> None:
    assert not verdict.is_proven
    (ledger,) = verdict.ledgers
    assert (ledger.invented, ledger.lacking) == (invented, lacking)
    assert ledger.samples


def ledger_file(streamed: Streamed) -> Path:
    files = sorted(streamed.home.ledger.local.glob(f"*/{LATE_PREFIX}*/part-*.txt"))
    return next(file for file in files if file.stat().st_size)


def rows_by_file(streamed: Streamed, published) -> list[dict]:
    return pq.read_table(streamed.file(published)).to_pylist()


# ------------------------------------------------------------------------------------------------- looks alike in csv


BLURRED = """
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/t', 'format' = 'json');
CREATE TABLE out (k STRING, n BIGINT, s INT)
WITH ('connector' = 'filesystem', 'path' = '${DATA}/out', 'format' = 'csv'{options});
INSERT INTO out SELECT k, COUNT(*), SUM(v)
FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY k, window_start, window_end;"""


def blurred(spark, place: Path, options: str) -> tuple[Stream, Path]:
    """A sink with a row for the key '' and one for the key NULL, and its file."""
    script = BLURRED.replace("{options}", options)
    stream = Stream(spark, plan_of(place, script), place / "home")
    values = [("", 1), (None, 2), ("", 3), ("a", 4), (None, 5), ("b", None)]
    lines = [json.dumps({"k": k, "v": v, "ts": "2024-05-01 10:00:00"}) for k, v in values]
    stream.absorb(write_lines(place / "t" / "1.json", lines), source="t")
    stream.end()
    (file,) = (place / "out").glob("*.csv")
    return stream, file


@pytest.mark.parametrize("options", ["", ", 'csv.null-literal' = 'NULL'"])
def test_keys_that_look_alike(spark, tmp_path: Path, options: str) -> None:
    """'' and NULL are one text in csv without a literal for NULL: rows of both are compared, and found wrong."""
    stream, file = blurred(spark, tmp_path, options)
    honest = verify(spark, stream.plan, stream.home)
    assert honest.is_proven and honest.inserts[0].rows["equal"] == 4, verdict_lines(honest)
    written = file.read_text()
    for damaged, kind in (
        (written.replace(",2,7", ",2,8"), "different"),
        ("".join(line for line in written.splitlines(True) if ",2,4" not in line), "missing"),
        (written + next(line for line in written.splitlines(True) if ",2,4" in line), "extra"),
    ):
        file.write_text(damaged)
        verdict = verify(spark, stream.plan, stream.home)
        assert not verdict.is_proven and verdict.inserts[0].rows[kind] >= 1, verdict_lines(verdict)
