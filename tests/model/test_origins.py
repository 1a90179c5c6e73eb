"""From a piece of SQL, or from a message, back to what the report says there."""

from __future__ import annotations

from airflow_nrt.model.origins import Known, Origin

SUM = Origin("CAST((`a` + CAST(`t` AS INT)) AS INT)", "a + CAST(t AS INT)", "line 1, column 8")
CAST = Origin("CAST(`t` AS INT)", "CAST(t AS INT)", "line 1, column 12")
AGAIN = Origin("CAST(`t` AS INT)", "CAST(t AS INT)", "line 3, column 1")
ABS = Origin("abs(`b`)", "ABS(b)", "report.py, line 4")
KNOWN = Known((SUM, CAST, ABS))


def around(known: Known, sql: str, piece: str, last: bool = False) -> str | None:
    start = sql.rfind(piece) if last else sql.find(piece)
    return known.around(sql, start, start + len(piece))


def test_the_smallest_piece_that_holds_it() -> None:
    sql = f"SELECT {SUM.sql} AS `x`, `t`, {ABS.sql} AS `y` FROM v"
    assert around(KNOWN, sql, "CAST(`t` AS INT)") == "CAST(t AS INT) (line 1, column 12)"
    assert around(KNOWN, sql, "(`a` + CAST(`t` AS INT))") == "a + CAST(t AS INT) (line 1, column 8)"
    assert around(KNOWN, sql, ABS.sql) == "ABS(b) (report.py, line 4)"
    assert around(KNOWN, sql, "`t`, abs") is None


def test_a_piece_that_stands_several_times() -> None:
    sql = f"SELECT {CAST.sql} AS x WHERE {SUM.sql} > {CAST.sql}"
    assert around(KNOWN, sql, CAST.sql, last=True) == "CAST(t AS INT) (line 1, column 12)"
    assert around(Known((CAST, AGAIN)), sql, CAST.sql) == "CAST(t AS INT) (line 1, column 12 and line 3, column 1)"


def test_the_few_that_can_have_failed() -> None:
    assert KNOWN.alone(["AS INT)"]) == "CAST(t AS INT) (line 1, column 12)"
    two = Known((CAST, Origin("x", "CAST(u AS INT)", "line 2, column 1")))
    assert two.alone(["AS INT)"]) == "CAST(t AS INT) (line 1, column 12) or CAST(u AS INT) (line 2, column 1)"
    many = Known(tuple(Origin("x", f"CAST({name} AS INT)", "line 2, column 1") for name in "abcd"))
    assert many.alone(["AS INT)"]) is None and KNOWN.alone([]) is None


def test_a_message_of_ours() -> None:
    assert KNOWN.placed("'x' is no INT: CAST(t AS INT)") == "'x' is no INT: CAST(t AS INT) (line 1, column 12)"
    assert KNOWN.placed("ABS can't read -") == "ABS can't read -: ABS(b) (report.py, line 4)"
    assert KNOWN.placed("a malformed line in table v") == "a malformed line in table v"
