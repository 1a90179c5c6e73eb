"""Programs as reports: how they are named, what they are given, and what travels with them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.home.home import Home
from airflow_nrt.home.identity.fingerprint import differences, fingerprint
from airflow_nrt.model.plan import Plan
from airflow_nrt.program.program import Program, program_of
from airflow_nrt.sql.errors import SqlError
from airflow_nrt.sql.load import plan_script
from airflow_nrt.table.reports.load import imported_in_isolation, load_report, plan_of_home, plan_program

REPORT = """
from airflow_nrt.table import DataTypes, Tumble, col, lit, udf
from {helper} import factor


@udf(result_type=DataTypes.BIGINT())
def times(value):
    return value * factor()


def build(t_env):
    size = int(t_env.get_config().get("size", "10"))
    t_env.execute_sql('''
        CREATE TABLE orders (ts TIMESTAMP(3), price INT, WATERMARK FOR ts AS ts)
        WITH ('connector' = 'filesystem', 'path' = '${{DATA}}', 'format' = 'json');
        CREATE TABLE totals (ends TIMESTAMP(3), total BIGINT)
        WITH ('connector' = 'filesystem', 'path' = 'out', 'format' = 'json');
    ''')
    window = Tumble.over(lit(size).minutes).on(col("ts")).alias("w")
    totals = t_env.from_path("orders").window(window).group_by(col("w"))
    totals.select(col("w").end, times(col("price")).sum).execute_insert("totals")
"""
SETTINGS = {"DATA": "orders"}


def written(place: Path, name: str, factor: int = 3) -> Path:
    """A program with a module beside it; modules of one process have different names."""
    (place / f"{name}_helper.py").write_text(f"def factor():\n    return {factor}\n")
    (place / f"{name}.py").write_text(REPORT.format(helper=f"{name}_helper"))
    return place / f"{name}.py"


def planned(program: Program, settings: dict[str, str]) -> Plan:
    """The plan of a program, whose modules are forgotten."""
    with imported_in_isolation(program):
        return plan_program(program, settings, program.name, program.root)


def test_a_program_is_a_file_or_a_function_of_a_module(tmp_path: Path) -> None:
    file = written(tmp_path, "one")
    expected = Program(tmp_path, "one", "build")
    assert program_of(file, Path()) == program_of("one.py", tmp_path) == program_of("one:build", tmp_path) == expected
    assert program_of(str(expected), Path()) == expected
    assert program_of(f"{file}:other", Path()) == Program(tmp_path, "one", "other")
    assert program_of("report.sql", tmp_path) is None
    with pytest.raises(InputError, match="there is no Python module 'two'"):
        program_of("two.py", tmp_path)


def test_settings_are_filled_into_queries_too(tmp_path: Path) -> None:
    (tmp_path / "filled.py").write_text("""
def build(t_env):
    t_env.execute_sql('''
        CREATE TABLE orders (shop STRING) WITH ('connector' = 'filesystem', 'path' = 'in', 'format' = 'json');
        CREATE TABLE found (shop STRING) WITH ('connector' = 'filesystem', 'path' = 'out', 'format' = 'json')
    ''')
    t_env.sql_query("SELECT * FROM orders WHERE shop = '${SHOP}'").execute_insert("found")
""")
    (insert,) = load_report(tmp_path / "filled.py", {"SHOP": "berlin"}).inserts
    assert "'berlin'" in insert.query.sql
    with pytest.raises(InputError, match="SHOP"):
        load_report(tmp_path / "filled.py", {})


def test_settings_reach_the_program(tmp_path: Path) -> None:
    file = written(tmp_path, "settings")
    plan = load_report(file, {**SETTINGS, "size": "5", "parallelism.default": "3"})
    assert (plan.name, plan.setting("parallelism.default"), plan.setting("size")) == ("settings", "3", None)
    assert plan.source("orders").table.path == str(tmp_path / "orders")
    assert str(plan.operators[0].window) == "TUMBLE 5 minutes"


def test_a_setting_of_reports_is_told_and_set(tmp_path: Path) -> None:
    told = (
        'def build(t_env):\n    config = t_env.get_config()\n    config.set("parallelism.default", "7")\n'
        '    assert config.get("table.local-time-zone", "UTC") == "Europe/Berlin"\n'
        '    assert config.get("parallelism.default", "1") == "7"\n'
    )
    (tmp_path / "zoned.py").write_text(REPORT.format(helper="zoned_helper").replace("def build(t_env):\n", told))
    (tmp_path / "zoned_helper.py").write_text("def factor():\n    return 3\n")
    plan = load_report(tmp_path / "zoned.py", {**SETTINGS, "table.local-time-zone": "Europe/Berlin"})
    assert dict(plan.settings) == {"parallelism.default": "7", "table.local-time-zone": "Europe/Berlin"}


def test_what_only_declares_can_be_waited_for(tmp_path: Path) -> None:
    waited = (
        REPORT.format(helper="waited_helper").replace('("totals")\n', '("totals").wait()\n')
        + "    t_env.execute_sql(\"SET 'parallelism.default' = '2'\").wait()\n"
        + "    t_env.create_statement_set().execute().wait()\n"
    )
    (tmp_path / "waited.py").write_text(waited)
    (tmp_path / "waited_helper.py").write_text("def factor():\n    return 3\n")
    assert load_report(tmp_path / "waited.py", SETTINGS).setting("parallelism.default") == "2"


def test_a_changed_function_is_a_changed_report(tmp_path: Path) -> None:
    """Also where what has changed is a module that it uses."""
    facts = []
    for n, factor in enumerate((3, 4)):
        place = tmp_path / str(n)
        place.mkdir()
        program = program_of(written(place, "changed", factor), place)
        assert program is not None
        facts.append(fingerprint(planned(program, {"DATA": "/orders"})))
    assert any("function TIMES" in change for change in differences(*facts))


def test_another_setting_that_a_function_closes_over_is_another_report(tmp_path: Path) -> None:
    text = REPORT.replace("{helper}", "functools").replace("import factor", "import reduce")
    text = (
        text.replace("{{", "{")
        .replace("}}", "}")
        .replace("times(col", "udf(lambda v: v * size, result_type='INT')(col")
    )
    (tmp_path / "closing.py").write_text(text)
    five, again, six = (load_report(tmp_path / "closing.py", {**SETTINGS, "size": size}) for size in ("5", "5", "6"))
    assert five.functions[0].spark_name == again.functions[0].spark_name != six.functions[0].spark_name
    told = differences(fingerprint(five), fingerprint(six))
    assert fingerprint(five) == fingerprint(again) and any("function LAMBDA, source was" in change for change in told)


def test_its_modules_travel(tmp_path: Path) -> None:
    program = program_of(written(tmp_path, "travels"), tmp_path)
    assert program is not None
    plan = planned(program, SETTINGS)
    home = Home.create(tmp_path / "home", plan)
    copy = program.copied_to(home.launches.local)
    assert sorted(file.name for file in copy.files) == ["travels.py", "travels_helper.py"]
    for file in program.files:
        file.unlink()
    (tmp_path / "orders").mkdir()
    row = {"ts": "2024-03-01 10:05:00", "price": 5}
    (tmp_path / "orders" / "a.jsonl").write_text(json.dumps(row))
    there = load_report(str(copy), SETTINGS, base=tmp_path)
    assert fingerprint(there) == fingerprint(plan)
    assert there.source("orders").table.path == str(tmp_path / "orders")


def test_a_program_in_a_package_travels(tmp_path: Path) -> None:
    """With modules that it imports relatively, and those that its packages import."""
    text = REPORT.replace("from {helper}", "from .helpers").replace("{{", "{").replace("}}", "}")
    files = {"rep.py": text, "__init__.py": "from relative.more import A", "more.py": "A = 1"}
    (tmp_path / "relative").mkdir()
    for name, content in {**files, "helpers.py": "def factor():\n    return 3\n"}.items():
        (tmp_path / "relative" / name).write_text(content)
    program = program_of("relative.rep:build", tmp_path)
    assert program is not None
    plan = planned(program, {"DATA": "/orders"})
    copy = program.copied_to(tmp_path / "copies")
    (tmp_path / "relative").rename(tmp_path / "gone")
    assert planned(copy, {"DATA": "/orders"}).functions == plan.functions
    (tmp_path / "gone").rename(tmp_path / "relative")
    (tmp_path / "relative" / "helpers.py").write_text("def factor():\n    return 4\n")
    assert planned(program, {"DATA": "/orders"}).functions != plan.functions


def test_an_installed_program_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "site-packages").mkdir()
    program = program_of(written(tmp_path / "site-packages", "installed"), tmp_path)
    assert program is not None
    home = Home.create(tmp_path / "home", planned(program, SETTINGS))
    assert program.copied_to(home.launches.local) == program
    assert plan_of_home(home).functions


def test_a_home_knows_its_program(tmp_path: Path) -> None:
    file = written(tmp_path, "runs")
    (tmp_path / "orders").mkdir()
    row = {"ts": "2024-03-01 10:05:00", "price": 5}
    (tmp_path / "orders" / "a.jsonl").write_text(json.dumps(row))
    program = program_of(file, tmp_path)
    assert program is not None
    plan = planned(program, SETTINGS)
    home = Home.create(tmp_path / "home", plan)
    file.unlink()
    assert plan_of_home(home).operators == plan.operators


def test_of_installed_modules_only_its_own_package_is_the_program_s(tmp_path: Path) -> None:
    place = tmp_path / "site-packages"
    for file, text in {
        "shop/__init__.py": "",
        "shop/report.py": "import library\nfrom shop import prices\ndef build(t_env): ...",
        "shop/prices.py": "import library.more",
        "library/__init__.py": "",
        "library/more.py": "",
    }.items():
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        (place / file).write_text(text)
    program = Program(place, "shop.report", "build")
    names = [str(file.relative_to(place)) for file in program.files]
    assert sorted(names) == ["shop/__init__.py", "shop/prices.py", "shop/report.py"]


@pytest.mark.parametrize(
    "text, told",
    [
        ("build = 1", "'int' object is not callable"),
        ("def build(t_env):\n    return 1 / 0", "raised in line 2: ZeroDivisionError"),
        ("import sys\ndef build(t_env):\n    sys.exit(0)", "raised in line 3: SystemExit: 0"),
        ("def other(t_env): pass", "has no function 'build'"),
        ("import nowhere_to_be_found", "can't be imported"),
        ("def build(t_env):\n    t_env.from_path('orders')", "no table or view 'orders'"),
        ("def build(t_env):\n    pass", "at least one INSERT INTO"),
    ],
)
def test_what_is_wrong_with_a_program(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "wrong.py").write_text(text)
    program = program_of("wrong.py", tmp_path)
    assert program is not None
    with pytest.raises(InputError, match=told):
        planned(program, {})


TIMED = """
from airflow_nrt.table import OutputOptions, Tumble, col, lit

TIMING = OutputOptions(first_result=-15_000, update_rate=5_000, late_updates=True, last_result=60_000)


def build(t_env):
    t_env.execute_sql('''{tables}''')
    window = Tumble.over(lit(10).minutes).on(col("ts")).alias("w")
    bids = t_env.from_path("bids").window(window).group_by(col("w"))
    totals = bids.select(col("w").end, col("price").sum)
    {insert}
"""
TABLES = """CREATE TABLE bids (ts TIMESTAMP(3), price BIGINT, WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = '/in', 'format' = 'json');
CREATE TABLE totals (ends TIMESTAMP(3), total BIGINT, PRIMARY KEY (ends) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '/out', 'format' = 'json');"""
HINT = "/*+ OPTIONS('first-result' = '-15 s', 'update-rate' = '5 s', 'late-updates' = 'on', 'last-result' = '1 min') */"
IN_SQL = f"""{TABLES} INSERT INTO totals {HINT}
SELECT TUMBLE_END(ts, INTERVAL '10' MINUTE), SUM(price) FROM bids GROUP BY TUMBLE(ts, INTERVAL '10' MINUTE);"""


@pytest.mark.parametrize(
    ("name", "insert"),
    [
        ("timed", 'totals.execute_insert("totals", options=TIMING)'),
        ("timed_too", 'totals.insert_into("totals", TIMING).execute()'),
        ("timed_in_a_set", 't_env.create_statement_set().add_insert("totals", totals, options=TIMING).execute()'),
    ],
)
def test_an_insert_of_a_program_is_timed_as_by_a_hint(tmp_path: Path, name: str, insert: str) -> None:
    (tmp_path / f"{name}.py").write_text(TIMED.format(tables=TABLES, insert=insert))
    ours, sqls = load_report(tmp_path / f"{name}.py", {}), plan_script(IN_SQL, {}, name, tmp_path)
    assert ours.operators == sqls.operators
    (one,), (other,) = ours.inserts, sqls.inserts
    assert one.timing == other.timing and one.timing.first_result == -15_000
    same_text = replace(one.sink, options={**one.sink.options, **dict(other.sink.options)})
    assert replace(one, sink=same_text, steps=()) == replace(other, steps=())


def test_the_timing_of_an_insert_is_output_options(tmp_path: Path) -> None:
    (tmp_path / "mistimed.py").write_text(
        TIMED.format(tables=TABLES, insert='totals.execute_insert("totals", options=True)')
    )
    with pytest.raises(InputError, match=r"mistimed.py, line \d+: an insert takes OutputOptions\(…\), not True"):
        load_report(tmp_path / "mistimed.py", {})


@pytest.mark.parametrize(
    ("last", "inserts"),
    [
        ("cheap.insert_into('out').execute()", 1),
        ("t_env.create_statement_set().add(cheap.insert_into('out')).add_insert('more', cheap).execute()", 2),
        ("cheap.execute_insert('out')", 1),
    ],
)
def test_inserts_are_declared_as_in_pyflink(tmp_path: Path, last: str, inserts: int) -> None:
    plan = load_report(inserting(tmp_path, f"inserts_{len(last)}", last))
    assert [insert.name for insert in plan.inserts] == ["out", "more"][:inserts]


def test_an_insert_that_nobody_executes_is_told(tmp_path: Path) -> None:
    report = inserting(tmp_path, "forgotten", "cheap.execute_insert('out'); cheap.insert_into('more')")
    with pytest.raises(
        SqlError, match=r"forgotten.py, line 6: this insert is never executed: insert_into\('more'\)\.ex"
    ):
        load_report(report)


def test_a_statement_set_explains_its_own_inserts(tmp_path: Path) -> None:
    said = tmp_path / "said"
    line = (
        "cheap.execute_insert('out'); s = t_env.create_statement_set(); s.add_insert('more', cheap); "
        f"open({str(said)!r}, 'w').write(s.explain())"
    )
    load_report(inserting(tmp_path, "explaining", line))
    assert "\ninsert more\n" in said.read_text() and "\ninsert out\n" not in said.read_text()


def inserting(place: Path, name: str, last: str) -> Path:
    """A program whose last line is this one."""
    table = "CREATE TABLE {} (n INT) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'json')"
    tables = "; ".join(table.format(one, one) for one in ("numbers", "out", "more"))
    report = place / f"{name}.py"
    report.write_text(f"""
from airflow_nrt.table import col
def build(t_env):
    t_env.execute_sql(\"\"\"{tables}\"\"\")
    cheap = t_env.from_path('numbers').where(col('n') < 5)
    {last}
""")
    return report


def test_two_versions_of_a_program_are_planned_in_one_process(tmp_path: Path) -> None:
    """The home has the one, the process has imported the other under the same names."""
    (tmp_path / "orders").mkdir()
    file = written(tmp_path, "versioned")
    home = Home.create(tmp_path / "home", load_report(file, SETTINGS))
    sizes = {}
    for size in ("10", "20"):
        place = tmp_path / size
        place.mkdir()
        moved = written(place, "versioned")
        moved.write_text("# said otherwise\n" + moved.read_text().replace('"size", "10"', f'"size", "{size}"'))
        for name in ("versioned", "versioned_helper"):
            sys.modules.pop(name, None)
        sys.path.insert(0, str(place))
        sizes[size] = load_report(moved, SETTINGS, base=tmp_path)
        sys.path.remove(str(place))
    here = sys.modules["versioned"].__file__
    assert Home.create(home.path, sizes["10"], plan_of_home).identity() == home.identity()
    with pytest.raises(InputError, match=r"-> .*'20'? MINUTE"):
        Home.create(home.path, sizes["20"], plan_of_home)
    assert sys.modules["versioned"].__file__ == here


def test_a_home_whose_report_can_no_longer_be_planned(tmp_path: Path) -> None:
    file = written(tmp_path, "lost")
    home = Home.create(tmp_path / "home", load_report(file, {**SETTINGS, "size": "10"}))
    (copy,) = home.launches.local.glob("report-*/lost.py")
    copy.write_text("def build(t_env): raise ValueError('gone')")
    with pytest.raises(
        InputError, match=r"the report that the home .* was made for can't be planned: the program .*gone"
    ):
        Home.create(home.path, load_report(file, {**SETTINGS, "size": "20"}), plan_of_home)


def test_a_program_that_finds_another_limit_around_it_is_another_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planned again, the copy in the home finds it as well: what it meant when the home was made is in the home."""
    file = written(tmp_path, "around")
    file.write_text(
        file.read_text().replace('int(t_env.get_config().get("size", "10"))', 'int(__import__("os").environ["SIZE"])')
    )
    monkeypatch.setenv("SIZE", "10")
    home = Home.create(tmp_path / "home", load_report(file, SETTINGS))
    Home.create(home.path, load_report(file, SETTINGS), plan_of_home)
    monkeypatch.setenv("SIZE", "20")
    with pytest.raises(InputError, match="computes something else than when its home"):
        Home.create(home.path, load_report(file, SETTINGS), plan_of_home)
