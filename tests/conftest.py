"""What all tests share: one Spark session a process, started by the product's own code."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.changed.selection import Selection
from tests.in_turn import half_of_queries, one_of_each
from tests.store_alone import found, watch_homes
from tests.strict import watched
from tests.temporary_files import write_into_memory
from tests.tiers import TIERS, mark, tier_of
from tests.unit_files import without_unit_tests
from tests.units import Units, put_in_order

pytest_plugins = ["tests.durations", "tests.packages", "tests.servers.fixtures"]

settings.register_profile(
    "suite", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""Rows are few here and plans are many: to compile a plan takes longer than to run it."""
JAVA = (
    # Drivers of tests live too short for the optimizing compiler of Java: it would take half of their processor time.
    "-XX:TieredStopAtLevel=1",
    # Without that compiler Java has room for 48 MB of code only, and compiles again and again what it has thrown away.
    "-XX:ReservedCodeCacheSize=240m",
    # Else it collects the whole heap whenever the classes of Spark have grown a little.
    "-XX:MetaspaceSize=256m",
    *(f"-D{name}={setting}" for name, setting in INTERPRETED.items()),
)
"""Of every JVM that a test starts, drivers in processes of their own among them."""
SESSION_JAVA = (
    # To collect in parallel takes from the other test processes what it gains here.
    "-XX:+UseSerialGC",
    "-Xss4m",
)
"""Of the session that a test process has."""
MANY_TESTS = 500
"""With so many, Java's optimizing compiler gives back what it takes: half of the processor time of the first minutes,
for tests that take a fifth less afterwards."""
JAVA_OF_ALL: pytest.StashKey[Any] = pytest.StashKey()
os.environ["SPARK_SUBMIT_OPTS"] = " ".join([os.environ.get("SPARK_SUBMIT_OPTS", ""), *JAVA]).strip()
# Else each test process compiles all tests anew, and each process that a test starts all of the product.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
write_into_memory()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=TIERS, help="only the tests of this tier (tests/tiers.py)")
    parser.addoption("--selection", type=Selection.read, help="only the tests that this file selects (tests/changed)")


def pytest_configure(config: pytest.Config) -> None:
    watch_homes()
    for tier, meaning in TIERS.items():
        config.addinivalue_line("markers", f"{tier}: {meaning}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mark(items)
    one_of_each(items)
    half_of_queries(items)
    wanted: dict[bool, list[pytest.Item]] = {True: [], False: []}
    for item in items:
        wanted[is_wanted(item)].append(item)
    items[:] = wanted[True]
    config.hook.pytest_deselected(items=wanted[False])
    put_in_order(items)


def is_wanted(item: pytest.Item) -> bool:
    """Whether a test is of the tier that is asked for, or selected."""
    tier, selection = item.config.getoption("--tier"), item.config.getoption("--selection")
    return tier in (None, tier_of(item)) and (selection is None or tier_of(item) in selection.of(item.nodeid))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out files before they are imported where no test of theirs can run."""
    if config.getoption("--tier") == "unit" and collection_path in without_unit_tests(Path(__file__).parent):
        return True
    selection = config.getoption("--selection")
    if selection is None or not collection_path.match("test_*.py"):
        return None
    return not selection.concerns(collection_path.relative_to(config.rootpath).as_posix()) or None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    with watched(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with watched(item):
        done = yield
    opened = {module: found.pop(module) for module in [*found]}
    assert not opened, f"files of a home are opened past its store (tests/store_alone.py): {opened}"
    return done


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What collection makes stays. Python looks only through what tests make, so that it soon lets go of their frames,
    which hold plans and sessions in Java."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Units:
    config.option.loadscopereorder = False
    return Units(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    from tests.suite_java import SuiteJava

    if JAVA_OF_ALL not in node.config.stash:
        node.config.stash[JAVA_OF_ALL] = SuiteJava(partial(a_session, "4g", "2g"))
    node.workerinput["java"] = node.config.stash[JAVA_OF_ALL].address


def pytest_unconfigure(config: pytest.Config) -> None:
    if (java := config.stash.get(JAVA_OF_ALL, None)) is not None:
        java.end()


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[object]:
    """A small session. What starts and stops a session of its own belongs into a process of its own."""
    address = getattr(request.config, "workerinput", {}).get("java")
    tests = sum("spark" in item.fixturenames for item in request.session.items if isinstance(item, pytest.Function))
    if address is None:
        session = a_session("2500m", "1200m", tests)
        yield session
        session.stop()
    else:
        from tests.suite_java import suite_java

        with suite_java(address, tests):
            session = a_session("4g", "2g", tests)
        yield session


def a_session(memory: str, young: str, tests: int) -> Any:
    """A session for so many tests, with a new Java of this memory if there is none yet. Most of what they make is
    `young`."""
    from airflow_nrt.basics.jars import JARS, fetched
    from airflow_nrt.engine.java.finding import ensure_java
    from airflow_nrt.engine.spark.session import start_session
    from airflow_nrt.model.connectors.delta import DELTA_SETTINGS

    ensure_java()
    compiler = ["-XX:TieredStopAtLevel=4"] if tests >= MANY_TESTS else []
    options = " ".join([*SESSION_JAVA, *compiler, f"-Xms{memory}", f"-Xmn{young}"])
    java = {"spark.driver.memory": memory, "spark.driver.extraJavaOptions": options}
    jars = ",".join(str(file) for connector in JARS for file in fetched(connector))
    # Extensions are chosen when a session begins, and it is the only one of its process.
    given = {**java, **(DELTA_SETTINGS if fetched("delta") else {})}
    session = start_session("tests", "local[2]", {"spark.sql.shuffle.partitions": "2", "spark.jars": jars, **given})
    # Failures that tests provoke would be shown between the dots of a run.
    session.sparkContext.setLogLevel("OFF")
    return session


@pytest.fixture(scope="session")
def process() -> None:
    """Asked for by fixtures that start processes."""


@pytest.fixture(scope="session")
def airflow() -> None:
    """Asked for by fixtures that open Airflow's metadata database, or start an Airflow."""


@pytest.fixture(autouse=True)
def views_of_one_test() -> Iterator[None]:
    """Views keep the plans that they were made of: those of thousands of tests would fill the heap."""
    yield
    if "pyspark.sql" in sys.modules:
        session = sys.modules["pyspark.sql"].SparkSession.getActiveSession()
        if session is not None:
            session._jsparkSession.sessionState().catalog().clearTempTables()
