"""The example reports, each over two hours of orders, beside what plain Python counts; and the DAGs that read them."""

from __future__ import annotations

import runpy
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pendulum
import pytest
from airflow.sdk import DAG, PartitionedAssetTimetable
from airflow.sdk.exceptions import AirflowSkipException

import tests.airflow_home  # noqa: F401
from airflow_nrt.basics.instants import parse_instant
from airflow_nrt.demo import example_dags
from airflow_nrt.demo.generator import DAY, orders, write
from airflow_nrt.engine.backfill import FAIL, backfill
from airflow_nrt.engine.driver.run import Runner
from airflow_nrt.engine.verify.interval import Interval
from airflow_nrt.engine.verify.verify import verify
from airflow_nrt.home.home import Home
from airflow_nrt.model.plan import Plan
from airflow_nrt.operators.interval import interval_of_run
from airflow_nrt.table.reports.load import load_report

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
ONE, TWO = DAY + HOUR, DAY + 2 * HOUR


@dataclass(frozen=True)
class Order:
    shop: int
    user: int
    price: Decimal
    at: datetime


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first two hours and a bit of a busy day, as tables of orders and of orders of items."""
    place = tmp_path_factory.mktemp("examples")
    night = [order for order in orders(40_000, seed=7) if order.paid < 2.5 * 3600]
    write(place / "orders", night, 0)
    for line, partition in ((order.line.split(","), order.partition) for order in night):
        number, _, user, price, at = line
        item = int(number) % 150
        (file := place / "item_orders" / partition / "part.csv").parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as lines:
            lines.write(f"{item},{item % 7},{user},{price},{at}")
    return place


@pytest.fixture(scope="module")
def read(data: Path) -> list[Order]:
    lines = [line.split(",") for file in data.glob("orders/*/*/*.csv") for line in file.read_text().splitlines()]
    return [Order(int(s), int(u), Decimal(p), datetime.fromisoformat(at)) for _, s, u, p, at in lines]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    monkeypatch.setenv("ORDERS_DATA", str(data))
    monkeypatch.setenv("ORDERS_HOMES", str(data / "homes"))


def dag_of(name: str) -> DAG:
    dag: DAG = runpy.run_path(str(example_dags() / f"{name}.py"))["dag"]
    return dag


def furnished(task: Any) -> tuple[Plan, Home]:
    """The plan of a task's report, and its home, new."""
    with task.at_work():
        plan = load_report(str(task.program() or task.report_file()), dict(task.settings), base=example_dags())
        return plan, Home.create(Path(task.home), plan)


def streamed(spark: Any, name: str, data: Path) -> list[dict[str, Any]]:
    """What the only task of a DAG publishes of all that is there; verified."""
    (task,) = dag_of(name).tasks
    plan, home = furnished(task)
    Runner(spark, plan, home, available_now=True).run()
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and verdict.windows == verdict.equal > 0, verdict
    return rows_below(data / name)


def rows_below(table: Path) -> list[dict[str, Any]]:
    """The rows of a table in folders by partition."""
    # It loads pandas, and this file is collected with the unit tests.
    from pyarrow import dataset

    rows: list[dict[str, Any]] = dataset.dataset(table, partitioning="hive").to_table().to_pylist()
    return rows


def inside(read: Iterable[Order], start: datetime, end: datetime) -> list[Order]:
    return [order for order in read if start <= order.at < end]


# ---------------------------------------------------------------------------------------------------- streams


def test_the_top_100_of_the_items(spark, data: Path) -> None:
    rows = [row for row in streamed(spark, "item_top100_cumulate_10min", data) if row["window_end"] == ONE]
    sales: dict[int, Decimal] = defaultdict(Decimal)
    buyers, of_sellers = defaultdict(set), defaultdict(set)
    for file in data.glob("item_orders/*/*/*.csv"):
        for item, seller, user, price, at in (line.split(",") for line in file.read_text().splitlines()):
            if datetime.fromisoformat(at) < ONE:
                sales[int(item)] += Decimal(price)
                buyers[int(item)].add(user)
                of_sellers[int(seller)].add(user)
    best = sorted(sales, key=lambda item: (-sales[item], item))[:100]
    assert len(sales) > 100
    found = {row["place"]: row for row in rows}
    assert sorted(found) == list(range(1, 101))
    for place, item in enumerate(best, 1):
        row = found[place]
        assert (row["item_id"], row["sales"]) == (item, sales[item])
        assert (row["item_buyer_cnt"], row["slr_buyer_cnt"]) == (len(buyers[item]), len(of_sellers[item % 7]))


def test_busy_shops_and_their_alert(spark, data: Path, read: list[Order], caplog: pytest.LogCaptureFixture) -> None:
    rows = streamed(spark, "busy_shops", data)
    for end in (ONE, ONE + 10 * MINUTE, TWO):
        counted = Counter(order.shop for order in inside(read, end - HOUR, end))
        busy = {shop: count for shop, count in counted.items() if count >= 100}
        assert {row["shop_id"]: row["orders"] for row in rows if row["window_end"] == end} == busy
    alert = dag_of("busy_shops_alert")
    found = alert.get_task("busy_shops").python_callable(f"{ONE}")  # type: ignore[attr-defined]
    assert found and found == sorted(found, key=lambda shop: shop["shop_id"])
    alert.get_task("alert").python_callable(found, f"{ONE}")  # type: ignore[attr-defined]
    assert f"shop {found[0]['shop_id']}: {found[0]['orders']} orders in the hour before {ONE}" in caplog.text
    with pytest.raises(AirflowSkipException, match="no shop was busy"):
        alert.get_task("busy_shops").python_callable("2024-06-17 01:00:00")  # type: ignore[attr-defined]


def test_facts_of_each_hour_and_its_best_shops(spark, data: Path, read: list[Order]) -> None:
    rows = streamed(spark, "order_facts", data)
    assert {row["window_end"] for row in rows} == {ONE, TWO}
    for row in rows:
        hour = [o for o in inside(read, row["window_start"], row["window_end"]) if o.shop == row["shop_id"]]
        gmv, dearest = sum(o.price for o in hour), max(o.price for o in hour)
        assert (row["orders"], row["buyers"]) == (len(hour), len({o.user for o in hour}))
        assert (row["gmv"], row["dearest"]) == (gmv, dearest)
    turnover = dag_of("order_facts_each_hour").get_task("turnover").python_callable  # type: ignore[attr-defined]
    assert turnover(TWO.isoformat()) == str(sum(order.price for order in inside(read, ONE, TWO)))
    best = dag_of("order_facts_hourly").get_task("best_shops").python_callable(f"{TWO}")  # type: ignore[attr-defined]
    first = max((row for row in rows if row["window_end"] == TWO), key=lambda row: row["gmv"])
    assert len(best) == 10 and best[0] == {name: str(value) for name, value in first.items()}


def test_price_bands(spark, data: Path, read: list[Order]) -> None:
    rows = [row for row in streamed(spark, "price_bands", data) if row["window_end"] == ONE]
    prices = [order.price for order in inside(read, ONE - 10 * MINUTE, ONE)]
    assert sum(row["orders"] for row in rows) == len(prices)
    (cheap,) = [row for row in rows if row["band"] == "under 10"]
    assert cheap["gmv"] == sum(price for price in prices if price < 10)


# ---------------------------------------------------------------------------------------------------- runs


@pytest.mark.parametrize(
    ("dag_id", "task_id", "triggered", "scheduled"),
    [
        ("order_facts_hourly", "best_shops", "2024-06-20 09:00:00", "2024-06-18 10:00:00"),
        ("busy_shops_alert", "busy_shops", "2024-06-20 09:30:00", "2024-06-18 10:00:00"),
    ],
)
def test_each_run_waits_for_one_window_and_reads_it(dag_id: str, task_id: str, triggered: str, scheduled: str) -> None:
    button = {"dag_run": SimpleNamespace(run_after=pendulum.datetime(2024, 6, 20, 9, 37))}
    for context, end in (
        ({**button, "data_interval_end": pendulum.datetime(2024, 6, 18, 10)}, scheduled),
        (button, triggered),
    ):
        dag = dag_of(dag_id)
        sensor, reader = dag.get_task("complete"), dag.get_task(task_id)
        (name,) = dag.params
        for task in (sensor, reader):
            task.render_template_fields({"params": {name: None}, **context})  # type: ignore[arg-type, typeddict-item]
        assert sensor.window_end == reader.op_args[0] == end  # type: ignore[attr-defined]
        sensor.render_template_fields({"params": {name: "2024-01-01 00:00:00"}, **context})  # type: ignore[arg-type]
        assert sensor.upstream_task_ids == set() and reader.upstream_task_ids == {"complete"}


def test_a_run_for_each_window_that_is_published() -> None:
    dag = dag_of("order_facts_each_hour")
    assert isinstance(dag.timetable, PartitionedAssetTimetable)
    (task,) = dag.tasks
    task.render_template_fields({"dag_run": SimpleNamespace(partition_key="2024-06-18T10:00:00")})  # type: ignore[arg-type, typeddict-item]
    assert task.op_args[0] == "2024-06-18T10:00:00"  # type: ignore[attr-defined]


@pytest.mark.thorough
def test_a_month_in_one_run(spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORDERS_ARCHIVE", str(tmp_path))
    monkeypatch.setenv("ORDERS_HOMES", str(tmp_path / "homes"))
    hours = [datetime(2024, 6, 1) + n * HOUR for n in range(30 * 24)]
    for n, hour in enumerate(hours):
        file = tmp_path / "orders" / f"ds={hour:%Y-%m-%d}" / f"hh={hour:%H}" / "part.csv"
        file.parent.mkdir(parents=True)
        file.write_text(f"{n},1,{n % 50},{n % 24 + 1}.00,{hour + 5 * MINUTE}\n")
    dag = dag_of("orders_curve_month")
    (task,) = dag.tasks
    june = (pendulum.datetime(2024, 6, 1), pendulum.datetime(2024, 7, 1))
    start, end = interval_of_run(None, None, dict(zip(("data_interval_start", "data_interval_end"), june)), "UTC")  # type: ignore[arg-type]
    plan, home = furnished(task)
    result = backfill(spark, plan, home, Interval(parse_instant(start), parse_instant(end)), True, FAIL)
    assert result.verdict is not None and result.verdict.is_proven
    assert result.verdict.windows == result.verdict.equal == len(result.published) == 30 * 144
    rows = rows_below(tmp_path / "orders_curve")
    last = {row["ds"]: row["gmv"] for row in rows if row["window_end"].hour == row["window_end"].minute == 0}
    assert len(last) == 30 and set(last.values()) == {sum(map(Decimal, range(1, 25)))}


@pytest.mark.thorough
def test_the_month_and_the_year_to_date(spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two orders a day over the end of a year: the first days of the new one begin again, or go on with the month."""
    monkeypatch.setenv("ORDERS_DATA", str(tmp_path))
    monkeypatch.setenv("ORDERS_HOMES", str(tmp_path / "homes"))
    orders = [(n, n % 3, n % 20, Decimal(n), datetime(2023, 11, 20) + n * 12 * HOUR) for n in range(150)]
    for number, shop, user, price, at in orders:
        file = tmp_path / "orders" / f"ds={at:%Y-%m-%d}" / f"hh={at:%H}" / "part.csv"
        file.parent.mkdir(parents=True)
        file.write_text(f"{number},{shop},{user},{price}.00,{at}\n")
    (task,) = dag_of("orders_month_to_date").tasks
    plan, home = furnished(task)
    Runner(spark, plan, home, available_now=True).run()
    verdict = verify(spark, plan, home)
    assert verdict.is_proven and verdict.windows == verdict.equal > 0, verdict
    for table, begin in (("month", lambda at: at.replace(day=1)), ("year", lambda at: at.replace(month=1, day=1))):
        rows = rows_below(tmp_path / f"orders_{table}_to_date")
        assert {row["window_end"].day for row in rows} == set(range(1, 32))
        for row in rows:
            end = row["window_end"]
            start = begin((end - HOUR).replace(hour=0))
            mine = [order for order in orders if order[1] == row["shop_id"] and start <= order[4] < end]
            right = (len(mine), len({user for _, _, user, _, _ in mine}), sum(price for *_, price, _ in mine))
            assert (row["orders"], row["buyers"], row["gmv"]) == right, row
