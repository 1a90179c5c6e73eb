"""A window in a database gets the rows of an older version again."""

from __future__ import annotations

from pathlib import Path

from airflow_nrt.describe.mismatch import REPAIR
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.undo import AskedUndo, undo
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.log.authors import Author
from airflow_nrt.home.log.past.past import past_results
from airflow_nrt.home.replaced.versions import versions_of
from tests.engine.reports import HOUR, MINUTE, MORNING, Stream
from tests.engine.sinks.jdbc.reports import arrive, report
from tests.servers.fixtures import Server

END = MORNING + 10 * HOUR + 20 * MINUTE
SPAN = Interval(MORNING + 10 * HOUR, MORNING + 10 * HOUR + 30 * MINUTE)


def test_what_a_repair_has_replaced_comes_back_and_stays(spark, server: Server, tmp_path: Path) -> None:
    plan = report(tmp_path, server.url, "undone")
    stream = Stream(spark, plan, tmp_path / "home")
    stream.absorb(arrive(tmp_path, "0", (1, 5, "10:01:00"), (2, 7, "10:12:00"), (2, 7, "10:32:00")), source="orders")
    server.query("UPDATE undone SET gmv = 4.25 WHERE window_end = '2024-06-18 10:20:00' AND shop = 1")
    corrected = server.query("SELECT * FROM undone ORDER BY window_end, shop")
    backfill(spark, plan, stream.home, SPAN, check=True, on_mismatch=REPAIR)
    assert server.query("SELECT * FROM undone ORDER BY window_end, shop") != corrected
    first, second = versions_of(stream.home, past_results(stream.home.log()))["curve", END]
    assert first.sums is not None and second.sums is not None
    assert (first.sums.sums["gmv"], second.sums.sums["gmv"]) == ("11.25", "12.00")

    undo(spark, plan, stream.home, AskedUndo("curve", END, Author("anna", "undo")))
    assert server.query("SELECT * FROM undone ORDER BY window_end, shop") == corrected
    verdict = verify(spark, plan, stream.home)
    assert verdict.is_proven and (verdict.pinned, verdict.windows) == (1, 2)
    backfill(spark, plan, stream.home, SPAN, check=False)
    assert server.query("SELECT * FROM undone ORDER BY window_end, shop") == corrected
    backfill(spark, plan, stream.home, SPAN, check=False, unpin=True)
    assert server.query("SELECT * FROM undone ORDER BY window_end, shop") != corrected
    assert verify(spark, plan, stream.home).pinned == 0
