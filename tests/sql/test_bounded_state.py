# ruff: noqa: E501 (a row of a table is one line)
"""What bounds the state of a query that never ends: the proofs, and what is said where there is none."""

from __future__ import annotations

import re

import pytest

from airflow_nrt.basics.durations import HOUR, MINUTE
from airflow_nrt.basics.errors import InputError
from airflow_nrt.describe.description import describe
from airflow_nrt.home.identity.fingerprint import differences, fingerprint
from airflow_nrt.model.updating import UpdatingJoin
from tests.sample import plan_of

LIVE = "'connector' = 'filesystem', 'path' = 'x', 'format' = 'csv', 'source.monitor-interval' = '1 s'"
TABLES = f"""
CREATE TABLE pageviews (user STRING, page STRING, rowtime TIMESTAMP(3), WATERMARK FOR rowtime AS rowtime)
WITH ({LIVE});
CREATE TABLE sensors (id BIGINT, loc STRING, stime TIMESTAMP(3), temp BIGINT,
    WATERMARK FOR stime AS stime - INTERVAL '5' SECOND) WITH ({LIVE});
CREATE TABLE known (id BIGINT, loc STRING, stime TIMESTAMP(3), temp BIGINT,
    WATERMARK FOR stime AS stime - INTERVAL '5' SECOND) WITH ({LIVE}, 'attribute-domain.loc' = 'constant');
CREATE TABLE keyed (id BIGINT, loc STRING, stime TIMESTAMP(3), temp BIGINT, PRIMARY KEY (id) NOT ENFORCED,
    WATERMARK FOR stime AS stime - INTERVAL '5' SECOND) WITH ({LIVE});
CREATE TABLE few WITH ('attribute-domain.id' = 'constant') LIKE keyed;
CREATE TABLE ended WITH ('path' = 'y') LIKE sensors (EXCLUDING OPTIONS);
""".replace("WITH ('path' = 'y')", "WITH ('connector' = 'filesystem', 'path' = 'y', 'format' = 'csv')")
VIEWS = "SELECT user, page, COUNT(page) AS pCnt FROM pageviews\nGROUP BY user, page"
LAST_HOUR = """SELECT user, page, COUNT(page) AS pCnt
FROM pageviews
WHERE rowtime BETWEEN now() - INTERVAL '1' HOUR AND now() -- only last hour
GROUP BY user, page"""
ROOMS = "SELECT loc, AVG(temp) AS avgTemp\nFROM sensors\nGROUP BY loc"
RECENT = "rowtime BETWEEN NOW() - INTERVAL '1' HOUR AND NOW()"


def report(query: str, columns: int) -> str:
    kinds = ", ".join(f"c{n} STRING" for n in range(columns))
    texts = ", ".join(f"CAST(`{name}` AS STRING)" for name in names(query))
    sink = f"CREATE TABLE told ({kinds}) WITH ('connector' = 'print');"
    return f"{TABLES}{sink}\nINSERT INTO told SELECT {texts} FROM ({query});"


def names(query: str) -> list[str]:
    selected = re.split(r",\s*(?![^(]*\))", query.partition("SELECT ")[2].partition("FROM")[0].strip())
    return [re.split(r"\s+AS\s+|\.", one)[-1].strip() for one in selected]


def proofs(query: str) -> list[str]:
    return [one["bounded_by"] for one in describe(plan_of(report(query, len(names(query)))))["operators"]]


def problems(query: str) -> str:
    with pytest.raises(InputError) as wrong:
        plan_of(report(query, len(names(query))))
    return str(wrong.value)


def refusal(query: str) -> str:
    return problems(query).partition("\n")[0]


FORGOTTEN = f"{RECENT}: a row is forgotten when it is older than the watermark by more than 1 hour"
DOMAIN = "its keys, whose domain is declared constant"


def test_page_views_by_user_and_page() -> None:
    message = refusal(VIEWS)
    assert "add WHERE rowtime BETWEEN now() - INTERVAL '1' HOUR AND now()" in message
    assert "declare 'attribute-domain.user' = 'constant', 'attribute-domain.page' = 'constant'" in message
    assert proofs(LAST_HOUR) == [FORGOTTEN, f"the tables that it reads: {RECENT}"]


def test_sensors_by_room() -> None:
    assert "declare 'attribute-domain.loc' = 'constant' in WITH of table sensors" in refusal(ROOMS)
    assert "add WHERE stime BETWEEN now() - INTERVAL '1' HOUR AND now()" in refusal(ROOMS)
    assert proofs(ROOMS.replace("sensors", "known")) == [DOMAIN]


STIME = "stime BETWEEN now() - INTERVAL '1' HOUR AND now()"
OF_STIME = STIME.replace("now", "NOW")
STIME_FORGOTTEN = FORGOTTEN.replace("rowtime", "stime")
RANKED = "SELECT id, n FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY loc ORDER BY temp) AS n FROM {}) WHERE n <= 3"
SESSIONS = "SELECT loc, COUNT(*) AS n FROM SESSION(TABLE {}, DESCRIPTOR(stime), INTERVAL '5' MINUTE) GROUP BY loc, window_start, window_end"
PROVEN = {
    "rowtime is the time attribute": (LAST_HOUR.replace("user, page", "id").replace("page)", "id)").replace("pageviews", "sensors"), [FORGOTTEN, f"the tables that it reads: {RECENT}"]),
    "a condition beside": (f"SELECT id FROM sensors WHERE temp > 3 AND {STIME}", [STIME_FORGOTTEN]),
    "its own name": (f"SELECT s.id FROM sensors AS s WHERE s.{STIME}", [FORGOTTEN.replace("rowtime", "s.stime")]),
    "a distinct count": (f"SELECT loc, COUNT(DISTINCT id) AS n FROM sensors WHERE {STIME} GROUP BY loc", [STIME_FORGOTTEN, f"the tables that it reads: {OF_STIME}"]),
    "totals of totals": ("SELECT n, COUNT(*) AS m FROM (SELECT loc, COUNT(*) AS n FROM known GROUP BY loc) GROUP BY n", [DOMAIN, "the tables that it reads: a constant domain"]),
    "a total": ("SELECT COUNT(*) AS n FROM sensors", ["that it has no key: there is one group"]),
    "a Top-N of each": (RANKED.format("known"), [DOMAIN]),
    "an update table of few keys": ("SELECT id, temp FROM few", [DOMAIN]),
    "an update table's last hour": (f"SELECT loc, AVG(temp) AS t FROM keyed WHERE {STIME} GROUP BY loc", [STIME_FORGOTTEN, f"the tables that it reads: {OF_STIME}", f"the tables that it reads: {OF_STIME}"]),
    "sessions of an update table of few keys": (SESSIONS.format("few"), [DOMAIN, "the tables that it reads: a constant domain", "the tables that it reads: a constant domain"]),
    "a join of bounded tables": ("SELECT a.loc, b.temp FROM few AS a JOIN few AS b ON a.loc = b.loc", [DOMAIN, "the tables that it reads: a constant domain"]),
    "a join of what ends": ("SELECT a.loc, b.temp FROM ended AS a JOIN ended AS b ON a.loc = b.loc", ["nothing but the end of its sources"]),
    "a join of what ends with few": ("SELECT a.loc, b.temp FROM ended AS a JOIN few AS b ON a.loc = b.loc", [DOMAIN, "the tables that it reads: the end of its sources; a constant domain"]),
}  # fmt: skip


@pytest.mark.parametrize("what", PROVEN)
def test_proofs(what: str) -> None:
    query, expected = PROVEN[what]
    assert proofs(query) == expected


REFUSED = {
    "an update table": ("SELECT id, temp FROM keyed", "the update table 'keyed' keeps every key for ever: leave PRIMARY KEY out"),
    "sessions of an update table": (SESSIONS.format("keyed"), "the update table 'keyed' keeps every key for ever: leave PRIMARY KEY out"),
    "sessions of pairs": (SESSIONS.format("(SELECT a.loc, a.stime FROM sensors AS a JOIN sensors AS b ON a.id = b.id AND b.stime BETWEEN a.stime AND a.stime + INTERVAL '1' MINUTE)").replace("TABLE (", "("), "SESSION over rows that change keeps every key for ever: read rows that are only added"),
    "the values of few groups": ("SELECT loc, COUNT(DISTINCT id) AS n FROM known GROUP BY loc", "an aggregation without a window keeps every key for ever"),
    "a ranking without a limit": (RANKED.format("known").replace("n <= 3", "n > 3"), "ROW_NUMBER without a window keeps"),
    "a join with what grows": ("SELECT a.loc, b.temp FROM few AS a JOIN sensors AS b ON a.loc = b.loc", "a join without windows keeps"),
    "half of the key": ("SELECT loc, id, COUNT(*) AS n FROM known GROUP BY loc, id", "'attribute-domain.id' = 'constant' in WITH"),
    "a condition beside": ("SELECT id, COUNT(*) AS n FROM sensors WHERE temp > 3 GROUP BY id", "add AND stime BETWEEN now() - INTERVAL '1' HOUR AND now() to WHERE"),
    "no interval": (f"SELECT id FROM sensors WHERE {STIME.replace('1', '0')}", "the interval must be above 0"),
    "a join of recent rows": (f"SELECT a.id FROM sensors AS a JOIN sensors AS b ON a.id = b.id WHERE a.{STIME}", "NOW above a window or a join: not there yet"),
    "recent rows of a view": (f"SELECT id FROM (SELECT id, stime FROM sensors) WHERE {STIME}", "a sliding condition on anything but a table"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what: str) -> None:
    query, message = REFUSED[what]
    assert message in problems(query)


def test_a_cause_is_told_once() -> None:
    message = refusal("SELECT loc, COUNT(*) AS n FROM keyed GROUP BY loc")
    assert message.count("keeps every key for ever") == 1


def test_a_domain_is_constant_and_of_a_column() -> None:
    for option, message in (
        ("'attribute-domain.loc' = 'small'", "'small' is not 'constant'"),
        ("'attribute-domain.lok' = 'constant'", "has no column 'lok'"),
    ):
        with pytest.raises(InputError, match=message):
            plan_of(report(ROOMS.replace("sensors", "known"), 2).replace("'attribute-domain.loc' = 'constant'", option))


def test_a_home_goes_on_with_another_domain() -> None:
    known = report(ROOMS.replace("sensors", "known"), 2)
    ttl = "SET 'table.exec.state.ttl' = '1 h';"
    grown = known.replace(", 'attribute-domain.loc' = 'constant'", "")
    assert differences(fingerprint(plan_of(ttl + known)), fingerprint(plan_of(ttl + grown))) == []


NEAR = "SELECT a.loc, b.temp FROM sensors AS a {} JOIN sensors AS b ON a.id = b.id AND {}"
WITHIN = {
    "a.stime BETWEEN b.stime - INTERVAL '4' HOUR AND b.stime": (-4 * HOUR, 0),
    "b.stime <= a.stime + INTERVAL '1' MINUTE AND b.stime + INTERVAL '2' MINUTE > a.stime": (-MINUTE, 2 * MINUTE),
    "a.stime = b.stime AND a.stime < b.stime + INTERVAL '1' HOUR": (0, 0),
    "a.stime >= b.stime - INTERVAL '4' HOUR": None,
    "a.stime BETWEEN b.stime AND a.stime + INTERVAL '1' HOUR": None,
    "NOT a.stime BETWEEN b.stime AND b.stime + INTERVAL '1' HOUR": None,
}


@pytest.mark.parametrize("condition", WITHIN)
def test_joins_within_an_interval(condition: str) -> None:
    allowed = f"SET 'table.exec.state.unbounded' = 'allow';{report(NEAR.format('', condition), 2)}"
    (operator,) = plan_of(allowed).updating
    assert isinstance(operator, UpdatingJoin) and operator.interval == WITHIN[condition]
    if operator.interval is None:
        assert "add AND a.stime BETWEEN b.stime - INTERVAL '1' HOUR" in refusal(NEAR.format("", condition))
    else:
        (proof,) = proofs(NEAR.format("", condition))
        assert proof.startswith(
            "the interval of the join: a row is forgotten when it is older than the watermark by more than"
        )
        for kind in ("LEFT", "RIGHT", "FULL"):
            assert proofs(NEAR.format(kind, condition)) == [proof]


FILTERED = "(SELECT id AS i, stime AS at FROM sensors WHERE temp > 3)"
MET = "a.i = b.id AND a.at BETWEEN b.stime AND b.stime + INTERVAL '1' HOUR"
EXISTS = "EXISTS (SELECT 1 FROM sensors AS b WHERE a.i = b.id AND b.stime BETWEEN a.at - INTERVAL '1' HOUR AND a.at)"
OF_SOURCES = {
    "a filter and other names": f"SELECT a.i FROM {FILTERED} AS a JOIN sensors AS b ON {MET}",
    "a column list": f"SELECT a.i FROM (SELECT id, stime FROM sensors) AS a(i, at) JOIN sensors AS b ON {MET}",
    "filters on both sides": f"SELECT a.i FROM {FILTERED} AS a JOIN (SELECT id, stime FROM sensors WHERE temp < 5) AS b ON {MET}",
    "tables together": f"SELECT a.i FROM {FILTERED} AS a JOIN (SELECT * FROM sensors UNION ALL SELECT * FROM ended) AS b ON {MET}",
    "a condition in WHERE": f"SELECT a.i FROM {FILTERED} AS a, sensors AS b WHERE {MET}",
    "a view": f"SELECT a.i FROM hot AS a JOIN sensors AS b ON {MET}",
    "a CTE": f"WITH warm AS {FILTERED} SELECT a.i FROM warm AS a LEFT JOIN sensors AS b ON {MET}",
    "EXISTS": f"SELECT a.i FROM {FILTERED} AS a WHERE {EXISTS}",
    "NOT EXISTS": f"SELECT a.i FROM {FILTERED} AS a WHERE NOT {EXISTS}",
}  # fmt: skip


def printed(query: str) -> str:
    """A report of a query whose one column is a number."""
    sink = "CREATE TABLE printed (id BIGINT) WITH ('connector' = 'print');"
    return f"{TABLES}CREATE VIEW hot AS SELECT * FROM {FILTERED};{sink}\nINSERT INTO printed {query};"


@pytest.mark.parametrize("what", OF_SOURCES)
def test_an_interval_bounds_rows_of_tables_whatever_they_are_called(what: str) -> None:
    plan = plan_of(printed(OF_SOURCES[what]))
    (operator,) = plan.updating
    assert isinstance(operator, UpdatingJoin) and operator.interval == (0, HOUR)
    assert operator.sources == ("sensors", "ended")[: len(plan.sources)]


@pytest.mark.parametrize(
    "left",
    [
        "(SELECT id AS i, stime AS at FROM few)",
        "(SELECT id AS i, window_time AS at FROM TUMBLE(TABLE sensors, DESCRIPTOR(stime), INTERVAL '1' HOUR) "
        "GROUP BY id, window_start, window_end, window_time)",
    ],
)
def test_an_interval_bounds_nothing_else(left: str) -> None:
    with pytest.raises(InputError, match="the interval does not bound the state for rows that change, or that waited"):
        plan_of(printed(f"SELECT a.i FROM {left} AS a JOIN sensors AS b ON {MET}"))


@pytest.mark.parametrize(
    ("query", "cause"),
    [
        (
            f"SELECT COUNT(*) FROM (SELECT a.i FROM {FILTERED} AS a JOIN sensors AS b ON {MET}) GROUP BY i",
            "an aggregation",
        ),
        (f"SELECT a.i FROM {FILTERED} AS a JOIN sensors AS b ON {MET} JOIN known AS c ON c.id = a.i", "a join"),
    ],
)
def test_what_keeps_the_pairs_of_an_interval_join_is_not_bounded_by_it(query: str, cause: str) -> None:
    with pytest.raises(InputError, match=f"{cause} without[^\n]* keeps every key for ever"):
        plan_of(printed(query))
    plan_of(printed(query.replace("sensors", "ended").replace("known", "ended")))
