"""A living home whose input policy changes: each entry's rows are read again as they were read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import DataError, InputError
from airflow_nrt.engine.backfill import backfill
from airflow_nrt.engine.failures.failures import explained
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.home.ledger import REJECTED, records
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_script
from tests.engine.reports import HOUR, MORNING, Stream, rows_of, write_lines

TEN = Interval(MORNING + 10 * HOUR, MORNING + 11 * HOUR)


def plan(place: Path, settings: str = "", columns: str = "d DECIMAL(5, 2)", **options: str) -> Plan:
    given = "".join(f", '{name.replace('__', '-').replace('_', '.')}' = '{text}'" for name, text in options.items())
    return plan_script(
        f"""{settings}CREATE TABLE t (id INT, {columns}, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH (
        'connector' = 'filesystem', 'path' = '{place}/t', 'format' = 'json', 'source.monitor-interval' = '1s'{given});
        CREATE TABLE told (e TIMESTAMP(3), n BIGINT, ids BIGINT, d DECIMAL(38, 2))
        WITH ('connector' = 'filesystem', 'path' = '{place}/told', 'format' = 'json');
        INSERT INTO told SELECT window_end, COUNT(*), SUM(id), SUM(d) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts),
        INTERVAL '10' MINUTES)) GROUP BY window_start, window_end;""",
        {},
        "report",
        place,
    )


def row(minute: int, **more: object) -> str:
    return json.dumps({"id": 1, "d": 1, "ts": f"2024-06-18 10:{minute:02}:00", **more})


class Drivers:
    """A driver each time the report is another one."""

    def __init__(self, spark, place: Path) -> None:
        self.spark, self.place, self.files = spark, place, 0

    def read(self, report: Plan, *lines: str) -> Stream:
        stream = Stream(self.spark, report, self.place / "home")
        self.files += 1
        stream.absorb(write_lines(self.place / "t" / f"{self.files}.json", lines), source="t")
        return stream

    def is_proven(self, *reports: Plan) -> bool:
        """By each of these reports; a backfill by the last one gives the same rows."""
        home = Home.open(self.place / "home")
        verdicts = [verify(self.spark, report, home) for report in reports]
        published = rows_of(self.place / "told", "json")
        backfill(self.spark, reports[-1], home, TEN, False)
        return rows_of(self.place / "told", "json") == published and all(one.is_proven for one in verdicts)

    def rejections(self) -> list[tuple[str, str | None]]:
        ledgers = Home.open(self.place / "home").ledger.below()
        return [(record["reason"], record.get("column")) for one in ledgers for record in records(one / REJECTED)]


def test_each_entry_is_read_again_as_it_was_read(spark, tmp_path: Path) -> None:
    drivers = Drivers(spark, tmp_path)
    strict, lenient = plan(tmp_path), plan(tmp_path, json_ignore__parse__errors="true", scan_null__rowtime="skip")
    drivers.read(strict, row(1), row(2))
    drivers.read(lenient, row(3), "torn", row(4, id="x"), row(5, ts=None))
    drivers.read(strict, row(6))
    short = plan(tmp_path, json_ignore__parse__errors="true", source_max__line__length="100b")
    drivers.read(short, row(7, more="m" * 99))
    stream = drivers.read(lenient, row(8, more="m" * 99), row(25))
    stream.end()
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(6, 5, 6), (1, 1, 1)]
    assert drivers.rejections() == [
        ("malformed line", None),
        ("malformed field", "id"),
        ("NULL rowtime", None),
        ("malformed line", None),
    ]
    assert drivers.is_proven(lenient, strict)


def test_a_number_that_does_not_fit(spark, tmp_path: Path) -> None:
    """Of a column that is NOT NULL the row was left out by the enforcer, then the field alone was NULL."""
    drivers, columns = Drivers(spark, tmp_path), "d DECIMAL(5, 2) NOT NULL"
    drops = plan(tmp_path, "SET 'table.exec.sink.not-null-enforcer' = 'drop';", columns)
    ignores = plan(tmp_path, columns=columns, json_ignore__parse__errors="true", scan_unfit__decimals="fail")
    drivers.read(drops, row(1), row(2, d=12345))
    drivers.read(ignores, row(3, d=12345), row(25)).end()
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(2, 2, 1), (1, 1, 1)]
    assert drivers.is_proven(ignores, drops)


def test_what_was_never_read_is_read_by_the_newest(spark, tmp_path: Path) -> None:
    write_lines(tmp_path / "t" / "1.json", [row(1), "torn"])
    home = Home.create(tmp_path / "home", plan(tmp_path))
    with pytest.raises(Exception) as caught:
        backfill(spark, plan(tmp_path), home, TEN, False)
    assert isinstance(explained(caught.value), DataError)
    backfill(spark, plan(tmp_path, json_ignore__parse__errors="true"), home, TEN, False)
    assert [line[1:] for line in rows_of(tmp_path / "told", "json")] == [(1, 1, 1)]


def test_other_options_are_refused(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home", plan(tmp_path))
    lenient = plan(tmp_path, json_ignore__parse__errors="true")
    assert home.additions(lenient) == {} == home.additions(lenient, lambda home, given: plan(tmp_path))
    other = plan(tmp_path, scan_watermark_max__ahead="2 h", json_ignore__parse__errors="true")
    with pytest.raises(InputError, match="max-ahead") as refused:
        home.additions(other)
    assert "ignore-parse-errors" not in str(refused.value)


def test_a_table_that_is_looked_up(tmp_path: Path) -> None:
    """The home keeps the rows of each of its versions."""

    def with_shops(**options: str) -> Plan:
        given = "".join(f", '{name.replace('__', '-').replace('_', '.')}' = '{text}'" for name, text in options.items())
        return plan_script(
            f"""CREATE TABLE t (id INT, p AS PROCTIME()) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/t',
              'format' = 'json', 'source.monitor-interval' = '1s');
            CREATE TABLE shops (id INT, name STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/shops',
              'format' = 'csv'{given});
            CREATE TABLE told (id INT, name STRING) WITH ('connector' = 'filesystem', 'path' = '{tmp_path}/told',
              'format' = 'json');
            INSERT INTO told SELECT t.id, s.name FROM t JOIN shops FOR SYSTEM_TIME AS OF t.p AS s ON t.id = s.id;""",
            {},
            "report",
            tmp_path,
        )

    home = Home.create(tmp_path / "home", with_shops())
    lenient = with_shops(csv_ignore__parse__errors="true")
    assert home.additions(lenient) == {} == home.additions(lenient, lambda home, given: with_shops())
    with pytest.raises(InputError, match="null-literal"):
        home.additions(with_shops(csv_ignore__parse__errors="true", csv_null__literal="NULL"))


def test_a_home_of_before(spark, tmp_path: Path) -> None:
    """Its entries have no policy: they were read under that of the report that it was made for."""
    lenient = plan(tmp_path, json_ignore__parse__errors="true")
    drivers = Drivers(spark, tmp_path)
    drivers.read(lenient, row(1), "torn")
    lease = tmp_path / "home" / "log" / "0.json"
    entry = json.loads(lease.read_text())
    assert entry.pop("input_policies")["t"]["json.ignore-parse-errors"] == "true"
    lease.write_text(json.dumps({**entry, "format": 3}))
    strict = plan(tmp_path)
    drivers.read(strict, row(2), row(25)).end()
    assert drivers.is_proven(strict)
