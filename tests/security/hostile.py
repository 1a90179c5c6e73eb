"""Reports whose code does what it should not: a program, and SQL whose function stands in a module beside it."""

from __future__ import annotations

from pathlib import Path

TABLES = """
CREATE TABLE orders (shop STRING, price INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json');
CREATE TABLE totals (shop STRING, n BIGINT, window_end TIMESTAMP(3))
WITH ('connector' = 'filesystem', 'path' = 'totals', 'format' = 'json');
"""
QUERY = """SELECT {shop}, COUNT(*), window_end FROM TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)
GROUP BY shop, window_start, window_end"""
PLAIN = f"{TABLES}INSERT INTO totals {QUERY.format(shop='shop')};"
SQL = f"""CREATE FUNCTION shout AS '{{module}}.shout' LANGUAGE PYTHON;
{TABLES}INSERT INTO totals {QUERY.format(shop="shout(shop)")};"""
FUNCTION = """
def shout(text: str) -> str:
    return text.upper()
"""
PROGRAM = f"""
def build(t_env):
    t_env.execute_sql('''{TABLES}''')
    t_env.sql_query('''{QUERY.format(shop="shop")}''').execute_insert("totals")
"""
NOTES_ITS_PROCESS = """
import os
with open({marker!r}, "a") as marker:
    print(os.getpid(), file=marker)
"""


def hostile(place: Path, kind: str, attack: str) -> Path:
    """A report of this kind (`program` or `sql`) in a directory, whose code runs the attack when it is imported.

    Its module has a name of its own, so that no other test has imported it.
    """
    place.mkdir(parents=True, exist_ok=True)
    (place / "orders").mkdir(exist_ok=True)
    module = f"hostile_{abs(hash(str(place)))}"
    (place / f"{module}.py").write_text(attack + (PROGRAM if kind == "program" else FUNCTION))
    if kind == "program":
        return place / f"{module}.py"
    report = place / "report.sql"
    report.write_text(SQL.format(module=module))
    return report
