# ruff: noqa: E501 (a line of a message is one line)
"""What a change means for each insert. A home takes a report if and only if all its inserts are of an accepted kind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airflow_nrt.basics.errors import ChangedReportError, InputError
from airflow_nrt.home.changes.comparison import Comparison
from airflow_nrt.home.changes.kinds import StateKept
from airflow_nrt.home.changes.words import as_json, comparison_lines
from airflow_nrt.home.home import Home
from airflow_nrt.home.identity.fingerprint import fingerprint
from airflow_nrt.model.plan import Plan
from airflow_nrt.sql.load import plan_of_home, plan_script
from tests.sample import CURVE, INSERT, ORDERS, plan_of
from tests.scripts.run import REFUSED, Script, scripts

SHOPS = CURVE.replace("curve", "by_shop") + INSERT.replace("INTO curve", "INTO by_shop").replace("SUM(price)", "0")
LAST = "CREATE TABLE copy (id BIGINT) WITH ('connector' = 'filesystem', 'path' = 'copy', 'format' = 'json');\n"
COPY = LAST + "INSERT INTO copy SELECT id FROM orders WHERE id > 1;\n"
REPORT = ORDERS + CURVE + INSERT + SHOPS + COPY
KEPT = "state can be kept"


def grown(columns: str, values: str) -> str:
    """The report with more in the table `curve`."""
    return REPORT.replace("gmv DECIMAL(38, 2)", f"gmv DECIMAL(38, 2), {columns}", 1).replace(
        "SUM(price)\n", f"SUM(price), {values}\n", 1
    )


def where(condition: str) -> str:
    return REPORT.replace("HOUR))\nGROUP BY", f"HOUR))\nWHERE {condition}\nGROUP BY", 1)


CHANGES = {
    "nothing": (REPORT, {}, []),
    "comments and layout": ("-- more\n" + REPORT.replace("\n", "\n  "), {}, []),
    "another sum": (
        REPORT.replace("SUM(price)", "SUM(price * id)", 1),
        {"curve": "recomputed"},
        ["gmv: SUM(price) -> SUM(price * id)"],
    ),
    "HAVING": (
        REPORT.replace("window_end;", "window_end HAVING COUNT(*) > 1;", 1),
        {"curve": KEPT},
        ["+ HAVING: COUNT(*) > 1"],
    ),
    "a column of the same aggregates": (
        grown("average DECIMAL(38, 6)", "SUM(price) / COUNT(*)"),
        {"curve": KEPT},
        ["+ average: SUM(price) / COUNT(*)"],
    ),
    "a column of one more aggregate": (
        grown("most DECIMAL(10, 2)", "MAX(price)"),
        {"curve": "recomputed"},
        ["+ most: MAX(price)"],
    ),
    "a column is gone, and its aggregate": (
        REPORT.replace("cnt BIGINT, ", "", 1).replace("COUNT(*), ", "", 1).replace(SHOPS, ""),
        {"curve": "recomputed", "by_shop": "removed"},
        ["- cnt"],
    ),
    "a column has another name": (
        REPORT.replace("cnt BIGINT", "orders BIGINT", 1),
        {"curve": KEPT},
        ["column: cnt -> orders"],
    ),
    "a column has another type": (
        REPORT.replace("gmv DECIMAL(38, 2)", "gmv DECIMAL(20, 2)", 1),
        {"curve": KEPT},
        ["gmv: DECIMAL(38, 2) -> DECIMAL(20, 2)"],
    ),
    "another place": (
        REPORT.replace("'path' = 'curve'", "'path' = 'curve2'"),
        {"curve": KEPT},
        ["option path: /data/curve -> /data/curve2"],
    ),
    "another place of rows without a state": (
        REPORT.replace("'path' = 'copy'", "'path' = 'copy2'"),
        {"copy": KEPT},
        ["option path: /data/copy -> /data/copy2"],
    ),
    "another filter of rows without a state": (
        REPORT.replace("id > 1", "id > 2"),
        {"copy": "recomputed"},
        ["WHERE: id > 1 -> id > 2"],
    ),
    "WHERE": (where("price > 1"), {"curve": "recomputed"}, ["+ WHERE: price > 1"]),
    "another window": (
        REPORT.replace("'1' HOUR", "'2' HOUR", 1),
        {"curve": "recomputed"},
        ["FROM: CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '1' HOUR) -> "
         "CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '2' HOUR)"],
    ),
    "another key": (
        REPORT.replace("SELECT shop,", "SELECT UPPER(shop),", 1).replace("BY shop,", "BY UPPER(shop),", 1),
        {"curve": "recomputed"},
        ["shop: shop -> UPPER(shop)", "GROUP BY: shop, window_start, window_end -> UPPER(shop), window_start, window_end"],
    ),
    "another watermark": (
        REPORT.replace("'5' MINUTES", "'6' MINUTES"),
        dict.fromkeys(("curve", "by_shop", "copy"), "recomputed"),
        ["orders, watermark for ts: ts - INTERVAL '5' MINUTES -> ts - INTERVAL '6' MINUTES"] * 3,
    ),
    "another place of the source": (
        REPORT.replace("'path' = 'orders'", "'path' = 'orders2'"),
        dict.fromkeys(("curve", "by_shop", "copy"), "recomputed"),
        ["orders, option path: /data/orders -> /data/orders2"] * 3,
    ),
    "results that print can't take back": (
        REPORT.replace("'filesystem', 'path' = 'curve', 'format' = 'json'", "'print'").replace("SUM(price)", "MAX(price)"),
        {"curve": "impossible"},
        ["gmv: SUM(price) -> MAX(price)", "connector: filesystem -> print", "- option format: json",
         "- option path: /data/curve"],
    ),
    "the order of the inserts": (
        ORDERS + SHOPS + CURVE + INSERT + COPY,
        dict.fromkeys(("curve", "by_shop"), KEPT) | {"copy": "recomputed"},
        ["order of the inserts: curve, by_shop, copy -> by_shop, curve, copy"] * 3,
    ),
    "an insert is gone": (REPORT.replace(SHOPS, ""), {"by_shop": "removed"}, []),
    "one more, of the same query": (
        REPORT + CURVE.replace("curve", "more") + INSERT.replace("INTO curve", "INTO more"),
        {"more": "added"},
        [],
    ),
    "one more, of another query": (
        REPORT + CURVE.replace("curve", "more") + INSERT.replace("INTO curve", "INTO more").replace("SUM", "MAX"),
        {"more": "new"},
        [],
    ),
    "an input policy": (
        REPORT.replace("'format' = 'csv'", "'format' = 'csv', 'csv.ignore-parse-errors' = 'true'"),
        dict.fromkeys(("curve", "by_shop", "copy"), "metadata alone"),
        ["+ orders, option csv.ignore-parse-errors: true (for rows that the next driver reads)"] * 3,
    ),
    "a column that only another insert reads": (
        ORDERS + CURVE + INSERT + SHOPS + COPY.replace("id > 1", "price > 1"),
        {"copy": "recomputed"},
        ["WHERE: id > 1 -> price > 1"],
    ),
    "a setting of Spark": ("SET 'spark.executor.memory' = '2g';\n" + REPORT, {}, []),
    "a setting that decides results": (
        "SET 'spark.sql.ansi.enabled' = 'false';\n" + REPORT,
        dict.fromkeys(("curve", "by_shop", "copy"), "recomputed"),
        ["+ setting spark.sql.ansi.enabled: false"] * 3,
    ),
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.create(tmp_path / "home", plan_of(REPORT))


def takes(home: Home, plan: Plan) -> bool:
    try:
        home.additions(plan, plan_of_home)
    except ChangedReportError:
        return False
    return True


def kinds(comparison: Comparison) -> dict[str, str]:
    return {one.name: one.kind.name for one in comparison.inserts if one.kind.name != "as it was"}


@pytest.mark.parametrize("change", CHANGES)
def test_kinds_and_words(home: Home, change: str) -> None:
    script, expected, words = CHANGES[change]
    plan = plan_of(script)
    before = home.report_file.local.read_bytes()
    comparison, _ = home.comparison(plan, plan_of_home)
    assert kinds(comparison) == expected
    assert [str(detail) for one in comparison.inserts for detail in one.details] == words
    assert comparison.accepted is takes(home, plan)
    assert home.report_file.local.read_bytes() == before


def test_what_changes_no_result_is_named(home: Home) -> None:
    set_, _ = home.comparison(plan_of("SET 'spark.executor.memory' = '2g';\n" + REPORT), plan_of_home)
    assert comparison_lines(set_)[-2:] == [
        "settings: metadata alone: what is published stays as it is",
        "  + SET spark.executor.memory: 2g (from the next driver on)",
    ]
    respelled, _ = home.comparison(plan_of("-- a comment\n" + REPORT), plan_of_home)
    assert comparison_lines(respelled)[-1] == "the text: metadata alone: it is spelled otherwise, and means the same"
    assert as_json(respelled)["respelled"] is True
    same, _ = home.comparison(plan_of(REPORT), plan_of_home)
    assert comparison_lines(same) == ["curve: as it was", "by_shop: as it was", "copy: as it was"]


def test_an_error_names_the_inserts_that_differ_alone(home: Home) -> None:
    with pytest.raises(InputError) as refused:
        home.additions(plan_of(REPORT.replace("SUM(price)", "SUM(price * id)", 1)), plan_of_home)
    assert str(refused.value).splitlines()[1:3] == ["  - curve: recomputed", "    gmv: SUM(price) -> SUM(price * id)"]
    assert "by_shop" not in str(refused.value)


def test_columns_of_views_have_their_names(tmp_path: Path) -> None:
    view = f"CREATE VIEW counts AS {INSERT.partition('curve')[2]}".replace("SUM(price)", "SUM(price) AS total")
    script = ORDERS + view.replace("COUNT(*)", "COUNT(*) AS n") + CURVE + "INSERT INTO curve SELECT * FROM counts;"
    home = Home.create(tmp_path / "home", plan_of(script))
    comparison, _ = home.comparison(plan_of(script.replace("COUNT(*)", "COUNT(price)")), plan_of_home)
    (change,) = comparison.inserts
    assert change.kind.name == "recomputed"
    assert [str(detail) for detail in change.details] == ["counts.n: COUNT(*) -> COUNT(price)"]


def test_operators_may_be_numbered_otherwise(tmp_path: Path) -> None:
    """The insert before is another, so that this one's operator has another name: it is the same all the same."""
    tumbling = INSERT.replace("CUMULATE", "TUMBLE").replace("INTERVAL '10' MINUTES, ", "").replace("curve", "first")
    before = ORDERS + CURVE.replace("curve", "first") + tumbling + CURVE + INSERT
    home = Home.create(tmp_path / "home", plan_of(before))
    after = ORDERS + CURVE + INSERT.replace("window_end;", "window_end HAVING COUNT(*) > 1;")
    assert [one.name for one in plan_of(before).operators] != [one.name for one in plan_of(after).operators]
    comparison, _ = home.comparison(plan_of(after), plan_of_home)
    assert kinds(comparison) == {"curve": KEPT, "first": "removed"}


def test_windows_that_another_insert_joins(tmp_path: Path) -> None:
    """They wait for the watermark of the other source from then on, and so other rows are late."""
    other = ORDERS.replace("TABLE orders", "TABLE visits").replace("'orders'", "'visits'")
    counted = INSERT.partition("INSERT INTO curve\n")[2].rstrip(";\n").replace("COUNT(*)", "COUNT(*) AS n")
    alone = LAST + f"INSERT INTO copy SELECT n FROM ({counted.replace('TABLE orders', 'TABLE visits')});"
    joined = (
        f"{LAST}INSERT INTO copy SELECT a.n FROM ({counted}) AS a JOIN ({counted.replace('TABLE orders', 'TABLE visits')}) AS b "
        "ON a.shop = b.shop AND a.window_start = b.window_start AND a.window_end = b.window_end;"
    )
    home = Home.create(tmp_path / "home", plan_of(ORDERS + other + CURVE + INSERT + alone))
    comparison, _ = home.comparison(plan_of(ORDERS + other + CURVE + INSERT + joined), plan_of_home)
    assert kinds(comparison) == {"curve": "recomputed", "copy": "recomputed"}
    assert [str(one) for one in comparison.inserts[0].details] == [
        "waits for the watermarks of: orders -> orders, visits"
    ]


def test_another_version_of_the_product(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report is the same, and its windows have other results."""
    window = type(plan_of(REPORT).operators[0].window)
    monkeypatch.setattr(window, "semantics", window.semantics + 1)
    plan = plan_of(REPORT)
    comparison, _ = home.comparison(plan, plan_of_home)
    assert kinds(comparison) == dict.fromkeys(("curve", "by_shop"), "by version")
    assert comparison_lines(comparison)[0].startswith("curve: a newer version computes this otherwise: CUMULATE")
    assert not takes(home, plan)


# ---------------------------------------------------------------------------------------------------- what people bring

RUN = [script for script in scripts() if script.name not in REFUSED]
MUTATIONS = {
    "a comment": (r"\A", "-- a comment\n"),
    "an interval": (r"INTERVAL '(\d+)'", r"INTERVAL '1\1'"),
    "an aggregate": (r"\b(SUM|COUNT|AVG)\(", "MAX("),
    "a number": (r"([<>=] )(\d+)\b", r"\g<1>1\2"),
    "a filter": (r"\bWHERE ", "WHERE 1 + 1 = 2 AND "),
    "no filter": (r"\bWHERE [^()]+?(?=\)|;|GROUP|ORDER)", ""),
    "a filter of groups": (r"(GROUP BY [\w, .]+)(?=;|\))", r"\1 HAVING 1 + 1 = 2"),
    "a key": (r"(?<=GROUP BY )", "1 + 1, "),
    "a place": (r"\$\{OUT\}", "${OUT}/other"),
    "an alias": (r"\bAS (\w+)", r"AS \1_x"),
}


def mutated(text: str, mutation: str) -> list[str]:
    """The text with the mutation at its first place, at its last place, and at all."""
    pattern, by = MUTATIONS[mutation]
    places = list(re.finditer(pattern, text, re.IGNORECASE))
    some = ([one] for one in (places[:1] + places[-1:]))
    found = []
    for chosen in (*some, places):
        changed = text
        for one in reversed(chosen):
            changed = changed[: one.start()] + one.expand(by) + changed[one.end() :]
        found.append(changed)
    return [one for one in dict.fromkeys(found) if one != text]


def below(plan: Plan) -> list[object]:
    """What state is made of and by: the operators with the SQL of their inputs, and all facts of the sources."""
    facts = fingerprint(plan)
    operators = (*plan.operators, *plan.updating)
    inputs = [[(query.sql, query.inputs) for query in one.inputs] for one in operators]
    kept = ("source ", "dimension ", "function ", "setting ", "window operator ", "updating operator ")
    return [{name: text for name, text in facts.items() if name.startswith(kept)}, inputs]


@pytest.mark.parametrize("script", RUN, ids=lambda script: script.name)
def test_scripts_as_people_bring_them(tmp_path: Path, script: Script) -> None:
    """The home's own decision, and the operators as they are planned, are the oracles."""
    text = script.file.read_text(encoding="utf-8")
    given = {"DATA": "/data", "OUT": str(tmp_path)}
    plan = plan_script(text, given, "report", tmp_path)
    home, planned = Home.create(tmp_path / "home", plan), 0
    for mutation in MUTATIONS:
        for changed in mutated(text, mutation):
            try:
                other = plan_script(changed, given, "report", tmp_path)
            except InputError:
                continue
            planned += 1
            comparison, _ = home.comparison(other, plan_of_home)
            assert comparison.accepted is takes(home, other), (mutation, comparison_lines(comparison))
            if mutation == "a comment":
                assert not kinds(comparison) and comparison.respelled
            if len(plan.inserts) == 1 and any(isinstance(one.kind, StateKept) for one in comparison.inserts):
                assert below(plan) == below(other), (mutation, changed)
            for one in comparison.refused:
                assert one.details or one.kind.name in ("new", "removed"), (mutation, comparison_lines(comparison))
    assert planned
