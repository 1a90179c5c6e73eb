"""kill -9 between early and late results, and beside an aggregate in Python: no version twice, and none is lost."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from airflow_nrt.basics.durations import MINUTE
from airflow_nrt.model.result_timing import OutputOptions
from tests.engine.drivers import Driver, Place, fault, published
from tests.engine.functions.test_windows import AGGREGATES, MODULE
from tests.engine.reports import curve_insert
from tests.engine.shared_java import SharedJava
from tests.python_modules import write_module

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.process]
THOROUGH = pytest.mark.thorough

TIMING = OutputOptions(-10 * MINUTE, 5 * MINUTE, None, late_updates=True, last_result=40 * MINUTE)
CURVE = f"""
SET 'table.exec.sink.not-null-enforcer' = 'drop';
CREATE TABLE curve (shop INT, window_start TIMESTAMP(3), window_end TIMESTAMP(3), n BIGINT, users BIGINT,
    PRIMARY KEY (shop, window_end) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${{OUT}}/curve', 'format' = 'parquet');
INSERT INTO curve {TIMING.hint()} SELECT shop, window_start, window_end, COUNT(*), COUNT(DISTINCT user_id)
FROM TABLE(CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' HOUR))
GROUP BY shop, window_start, window_end;
"""
RECENT = curve_insert("TUMBLE(INTERVAL '20' MINUTE)", AGGREGATES, "recent", path="${OUT}/recent")
TOTALS = """
CREATE TABLE totals (n BIGINT, users BIGINT, PRIMARY KEY (n) NOT ENFORCED) PARTITIONED BY (n)
WITH ('connector' = 'filesystem', 'path' = '${OUT}/totals', 'format' = 'parquet');
SET 'table.exec.state.unbounded' = 'allow';
INSERT INTO totals
SELECT n, COUNT(*) FROM (SELECT user_id, COUNT(*) AS n FROM events GROUP BY user_id) GROUP BY n;
"""
TOLD = f"""
CREATE TABLE told (shop INT, window_end TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${{OUT}}/told', 'format' = 'debezium-json');
INSERT INTO told {TIMING.hint()} SELECT shop, window_end, COUNT(*)
FROM TABLE(CUMULATE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' HOUR))
GROUP BY shop, window_start, window_end;
"""
POINTS = {"absorb-written": 2, "commit-after": 1, "fire-staged": 1, "tick-after": 1, "publish-between": 1}
"""Each with the time of reaching it that kills."""
FEW = ("publish-between",)


@pytest.mark.parametrize("points", [pytest.param(FEW, id="few"), pytest.param((*POINTS,), id="all", marks=THOROUGH)])
def test_killed_in_turn(spark, java: SharedJava, tmp_path: Path, points: tuple[str, ...]) -> None:
    """Each driver recovers from the one before it, and dies at the next point."""
    declared = f"CREATE FUNCTION digest AS '{write_module(tmp_path, MODULE)}.Digest' LANGUAGE PYTHON;"
    place = Place.make(tmp_path, declared, CURVE, RECENT, TOTALS, TOLD)
    killed = place.beside("killed")
    assert place.run(spark) == "finished"
    clean = versions(place)
    assert {state for _, _, state, _ in clean} == {"early", "complete", "late", "changed"}
    for point in points:
        driver = Driver(killed, fault("kill", point, POINTS[point]), java)
        try:
            driver.wait_until(driver.is_over)
            text = driver.output.read_text()[-3000:]
            assert driver.process.returncode == -signal.SIGKILL, f"not killed at {point}: {text}"
        finally:
            driver.end()
    assert killed.run(spark) == "finished"
    assert versions(killed) == clean
    for sink in ("curve", "recent", "totals"):
        assert published(killed, sink) == published(place, sink)
    assert changes(killed) == changes(place)


def changes(place: Place) -> list[str]:
    return sorted(line for file in (place.own / "told").glob("*.json") for line in file.read_text().splitlines())


def versions(place: Place) -> list[tuple[Any, ...]]:
    """All versions that the log has, in its order."""
    return [
        (one.insert, one.end, one.state, one.rows)
        for entry in place.home.log().audit()
        for one in sorted(entry.published, key=lambda one: (one.insert, one.end or 0))
    ]
