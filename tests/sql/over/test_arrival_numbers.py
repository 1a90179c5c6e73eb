"""ROW_NUMBER by processing time below a window: what of the keys is kept, what needs consent, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.describe.description import describe
from airflow_nrt.model.internal_columns import CLOCK
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.errors import NotThereYet, SqlError
from tests.engine.reports import DAY, curve_insert, events_table, options, plan_of

COUNT = {"n": ("BIGINT", "COUNT(*)")}
LIVE = {"source__monitor_interval": "1 s"}
ALLOW = "SET 'table.exec.state.unbounded' = 'allow';"
TTL = "SET 'table.exec.state.ttl' = '30 d';"
TUMBLE = "TUMBLE(INTERVAL '1' HOUR)"


def table(name: str = "events", **given: str) -> str:
    return events_table(name, **given).replace("ts TIMESTAMP(3),", "ts TIMESTAMP(3), pt AS PROCTIME(),")


def view(partition: str, order: str = "pt", where: str = "n = 1", of: str = "events", columns: str = "shop, ts") -> str:
    return f"""CREATE VIEW firsts AS SELECT {columns} FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY {partition} ORDER BY {order}) AS n FROM {of}) WHERE {where};"""


def plan(place: Path, partition: str, live: bool = True, setting: str = "", window: str = TUMBLE, **given: str) -> Plan:
    insert = curve_insert(window, COUNT, source="firsts")
    return plan_of(place, setting, table(**(LIVE if live else {})), view(partition, **given), insert)


@pytest.mark.parametrize(
    ("partition", "period"),
    [
        ("user_id, CAST(ts AS DATE)", "1 day"),
        ("DATE_FORMAT(ts, 'yyyy-MM-dd'), user_id", "1 day"),
        ("user_id, FLOOR(ts TO HOUR), CAST(ts AS DATE)", "1 hour"),
        ("user_id, FLOOR(ts TO QUARTER)", "3 months"),
        ("user_id, DATE_FORMAT(ts, 'HH')", None),
        ("user_id, CAST(pt AS DATE)", None),
        ("user_id", None),
    ],
)
def test_a_live_report_forgets_keys_with_their_day_or_asks(tmp_path: Path, partition: str, period: str | None) -> None:
    (operator,) = plan(tmp_path, partition, live=False).operators
    assert operator.numbering is not None and operator.numbering.most == 1
    assert (operator.numbering.period is not None) == (period is not None)
    if period is not None:
        (shown,) = describe(plan(tmp_path, partition))["operators"]
        assert f"the numbers of keys of one {period}" in shown["bounded_by"]
        return
    message = r"ROW_NUMBER below a window keeps every key for ever: add CAST\(ts AS DATE\).*ttl.*unbounded"
    with pytest.raises(SqlError, match=message):
        plan(tmp_path, partition)
    (shown,) = describe(plan(tmp_path, partition, setting=ALLOW))["operators"]
    assert "how many keys there are: none is forgotten" in shown["bounded_by"]


def test_a_ttl_stands_for_consent(tmp_path: Path) -> None:
    """Where a day is no key, and whatever WHERE says of the numbers."""
    for where, most in (("n <= 3", 3), ("n > 1", None)):
        made = plan(tmp_path, "user_id", setting=TTL, where=where)
        (operator,) = made.operators
        assert operator.numbering is not None
        assert (operator.numbering.idle, operator.numbering.most) == (30 * DAY, most)
        assert "how many keys have come within 30 days" in describe(made)["operators"][0]["bounded_by"]
    for made in (plan(tmp_path, "user_id, CAST(ts AS DATE)", setting=TTL), plan(tmp_path, "shop", False, TTL)):
        assert made.operators[0].numbering is not None and made.operators[0].numbering.idle is None


def test_below_a_session_no_day_bounds_the_keys(tmp_path: Path) -> None:
    session = """CREATE TABLE visits (e TIMESTAMP(3), n BIGINT)
    WITH ('connector' = 'filesystem', 'path' = '${DATA}/visits', 'format' = 'json');
    INSERT INTO visits SELECT SESSION_END(ts, INTERVAL '5' MINUTE), COUNT(*) FROM firsts
    GROUP BY shop, SESSION(ts, INTERVAL '5' MINUTE);"""
    script = table(**LIVE), view("user_id, CAST(ts AS DATE)"), session
    with pytest.raises(SqlError, match="keeps every key for ever"):
        plan_of(tmp_path, *script)
    (operator,) = plan_of(tmp_path, TTL, *script[:1], view("user_id"), session).operators
    assert operator.numbering is not None and operator.numbering.ends


@pytest.mark.parametrize(
    ("order", "columns"), [("PROCTIME()", "shop, ts"), ("pt ASC", "shop, ts"), ("events.pt", "shop, id, ts")]
)
def test_however_the_time_is_named(tmp_path: Path, order: str, columns: str) -> None:
    (operator,) = plan(tmp_path, "user_id", live=False, order=order, columns=columns).operators
    assert operator.numbering is not None and operator.sources == ("events",) == operator.clock


def test_inserts_share_an_operator_of_the_same_rows(tmp_path: Path) -> None:
    """And its numbers. Rows with other numbers are others."""
    sums = {"gmv": ("DECIMAL(38, 2)", "SUM(price)")}
    both = [curve_insert(TUMBLE, what, name=name, source="firsts") for name, what in (("a", COUNT), ("b", sums))]
    rows = view("user_id", columns="shop, price, ts")
    assert len(plan_of(tmp_path, table(), rows, *both).operators) == 1
    other = view("item", columns="shop, price, ts").replace("firsts", "others")
    window = curve_insert(TUMBLE, COUNT, name="c", source="others")
    assert len(plan_of(tmp_path, table(), rows, other, *both, window).operators) == 2


def test_below_a_window_of_processing_time_it_is_an_over(tmp_path: Path) -> None:
    """As it was, so that homes of such reports go on."""
    window = curve_insert(TUMBLE, COUNT, source="firsts").replace("DESCRIPTOR(ts)", "DESCRIPTOR(pt)")
    window = window.replace("window_start TIMESTAMP(3), window_end TIMESTAMP(3)", "s TIMESTAMP(3), e TIMESTAMP(3)")
    counts, hours = plan_of(tmp_path, ALLOW, table(**LIVE), view("user_id", columns="shop, pt"), window).operators
    assert counts.frames and counts.clock == hours.clock == (CLOCK,) and counts.numbering is hours.numbering is None


UNION = """CREATE VIEW both_tables AS SELECT * FROM events UNION ALL SELECT * FROM others;"""
FRAMED = "CREATE VIEW framed AS SELECT shop, ts, COUNT(*) OVER (ORDER BY ts) AS n FROM firsts;"
JSON = options(connector="filesystem", path="${DATA}/raw", format="json")
RAW = f"""CREATE TABLE raw (shop INT, e TIMESTAMP(3)) WITH ({JSON});
INSERT INTO raw SELECT shop, window_end FROM TABLE(TUMBLE(TABLE firsts, DESCRIPTOR(ts), INTERVAL '1' HOUR));"""


@pytest.mark.parametrize(
    "statements",
    [
        (view("user_id"), FRAMED, curve_insert(TUMBLE, COUNT, source="framed")),
        (view("user_id"), RAW),
        (
            view("user_id", columns="shop, ts, pt").replace("firsts", "once"),
            view("shop", of="once"),
            curve_insert(TUMBLE, COUNT, source="firsts"),
        ),
    ],
)
def test_only_one_window_reads_such_rows(tmp_path: Path, statements: tuple[str, ...]) -> None:
    with pytest.raises(NotThereYet, match="where anything but one window of a rowtime reads its rows"):
        plan_of(tmp_path, table(), table("others"), *statements)


def test_rows_of_two_tables_have_no_order_of_arrival(tmp_path: Path) -> None:
    with pytest.raises(NotThereYet, match="ROW_NUMBER by processing time of the rows of several tables"):
        plan_of(
            tmp_path, table(), table("others"), UNION, view("user_id", of="both_tables"),
            curve_insert(TUMBLE, COUNT, source="firsts"),
        )  # fmt: skip


def test_the_last_row_to_come_gives_windows_that_change(tmp_path: Path) -> None:
    with pytest.raises(SqlError, match="doesn't support consuming update changes, which a window over rows"):
        plan(tmp_path, "user_id", live=False, order="pt DESC")
    changes = curve_insert(TUMBLE, COUNT, source="firsts", format="debezium-json")
    made = plan_of(tmp_path, table(), view("user_id", order="pt DESC"), changes)
    assert made.updating and made.inserts[0].changes
