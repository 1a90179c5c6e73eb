# ruff: noqa: E501 (a row of a table is one line)
"""What is wrong with a script is said with its place, all of it at once, and what is not there yet is called so."""

from __future__ import annotations

from pathlib import Path

import pytest

from airflow_nrt.basics.errors import InputError
from airflow_nrt.model.options.known import FORMATS
from airflow_nrt.sql.errors import NotThereYet, SqlError, SqlErrors
from airflow_nrt.sql.load import load_report, plan_script
from airflow_nrt.sql.planner import plan_query
from tests.sample import CURVE, INSERT, ORDERS, REPORT, plan_of

TVF = "TABLE(CUMULATE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' MINUTES, INTERVAL '1' HOUR))"
GROUP = "GROUP BY shop, window_start, window_end"


def changed(old: str, new: str) -> str:
    """The report with one thing changed."""
    assert REPORT.count(old) >= 1
    return REPORT.replace(old, new)


def insert(query: str) -> str:
    """The report with another query; it begins on line 12."""
    return f"{ORDERS}{CURVE}INSERT INTO curve\n{query};\n"


def refusal(script: str) -> InputError:
    with pytest.raises(InputError) as wrong:
        plan_of(script)
    return wrong.value


WRONG = {
    # names
    "table": (changed("TABLE orders,", "TABLE ordes,"), "13:27: there is no table or view 'ordes'; did you mean 'orders'?"),
    "sink": (changed("INTO curve", "INTO curv"), "11:1: there is no table 'curv' to insert into; did you mean 'curve'?"),
    "column": (changed("SUM(price)", "SUM(prize)"), "12:54: there is no column 'prize'; did you mean 'price'?"),
    "time column": (changed("DESCRIPTOR(ts)", "DESCRIPTOR(tss)"), "13:46: there is no column 'tss'; did you mean 'ts'?"),
    "a name twice inside": (insert("SELECT shop FROM (SELECT shop, shop FROM orders)"), "12:18: two columns are named 'shop': give one an alias"),
    "a join without a condition": (insert("SELECT o.shop FROM orders o LEFT JOIN curve c"), "12:20: a LEFT JOIN needs ON and a condition"),
    "a condition of a cross join": (insert("SELECT o.shop FROM orders o CROSS JOIN curve c ON TRUE"), "12:48: CROSS JOIN takes no condition: write JOIN"),
    "a name twice in WITH": (insert("WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a"), "12:23: 'a' is defined twice in one WITH: give this one another name"),
    "a name after its reader in WITH": (
        insert("WITH a AS (SELECT * FROM b), b AS (SELECT id FROM orders) SELECT * FROM a"),
        "12:26: WITH has not named 'b' yet: put it before the query that reads it (no query reads itself)",
    ),
    "a name of WITH": (insert("WITH first AS (SELECT id FROM orders) SELECT * FROM frist"), "12:53: there is no table or view 'frist'; did you mean 'first'?"),
    "case of a column": (changed("SUM(price)", "SUM(PRICE)"), "12:54: there is no column 'PRICE'; did you mean 'price'?"),
    "alias": (changed("SUM(price)", "SUM(o.price)"), "12:54: there is no table or column 'o' here"),
    "aggregate": (changed("SUM(price)", "SUMM(price)"), "12:50: there is no function SUMM; did you mean 'SUM'?"),
    "function": (changed("SUM(price)", "SUM(ABSS(price))"), "12:54: there is no function ABSS; did you mean 'ABS'?"),
    "table function": (changed("CUMULATE(", "CUMULTE("), "13:12: there is no table function CUMULTE; TUMBLE, HOP, CUMULATE and SESSION are there"),
    "type": (changed("shop STRING,\n", "shop STRNG,\n"), "3:10: there is no type STRNG"),
    "option": (changed("'path' = 'orders'", "'pth' = 'orders'"), "7:37: table 'orders': there is no option 'pth'; did you mean 'path'?"),
    "option of another engine": (changed("'path' = 'orders'", "'path' = 'orders', 'avro.codec' = 'gzip'"), "7:56: table 'orders': there is no option 'avro.codec'"),
    "setting": ("SET 'pipeline.nme' = 'x';\n" + REPORT, "1:1: there is no setting 'pipeline.nme'; did you mean 'pipeline.name'?"),
    "emit setting": ("SET 'table.exec.emit.early-fire.enabled' = 'true';\n" + REPORT, "1:1: Currently, window table function based aggregate doesn't support early-fire and late-fire configuration 'table.exec.emit.early-fire.enabled' and 'table.exec.emit.late-fire.enabled': leave it out, and write INSERT INTO t /*+ OPTIONS('first-result' = '-15 min') */ for early results, or OPTIONS('late-updates' = 'on', 'last-result' = '+15 min') for those of late rows"),
    "connector": (changed("'filesystem', 'path' = 'orders'", "'filesystm', 'path' = 'orders'"), "1:1: table 'orders': there is no connector 'filesystm'; did you mean 'filesystem'?"),
    "another connector": (changed("'filesystem', 'path' = 'orders'", "'pulsar', 'topics' = 'orders'"), "1:1: table 'orders': there is no connector 'pulsar'; there are 'filesystem', 'print', 'kafka', 'upsert-kafka', 'jdbc', 'delta', 'iceberg', 'datagen' and 'blackhole'"),
    "partition key": (changed(") WITH ('connector' = 'filesystem', 'path' = 'orders'", ") PARTITIONED BY (ds) WITH ('connector' = 'filesystem', 'path' = 'orders'"), "1:1: table 'orders' has no column 'ds'"),
    # time
    "no watermark": (
        changed(",\n    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTES", ""),
        "12:46: The window function requires the timecol is a time attribute type, but is TIMESTAMP(3). Add WATERMARK FOR ts AS ts - INTERVAL '5' SECOND to table orders.",
    ),
    "watermarks of the source": (
        changed("AS ts - INTERVAL '5' MINUTES", "AS SOURCE_WATERMARK()"),
        "6:25: SOURCE_WATERMARK() is the watermark of the time when rows came into the source (ts AS SYSTEM_ROWTIME(), or METADATA FROM 'file.modification-time'); for a time in the rows write WATERMARK FOR ts AS ts - INTERVAL '5' SECOND",
    ),
    "watermarks of the source in FLIP-66": (
        changed("AS ts - INTERVAL '5' MINUTES", "AS SYSTEM_WATERMARK() + INTERVAL '1' SECOND"),
        "6:25: SYSTEM_WATERMARK is a whole watermark: write WATERMARK FOR … AS SYSTEM_WATERMARK()",
    ),
    "times of the source": (
        changed("ts TIMESTAMP(3)", "ts AS SYSTEM_ROWTIME() + INTERVAL '1' SECOND"),
        "5:11: SYSTEM_ROWTIME is a whole column of CREATE TABLE: written AS SYSTEM_ROWTIME()",
    ),
    "a watermark for processing time": (
        changed("ts TIMESTAMP(3)", "ts AS PROCTIME()"),
        "6:19: A watermark can not be defined for a processing-time attribute column.",
    ),
    "a rowtime of processing time": (
        insert("SELECT TUMBLE_ROWTIME(p, INTERVAL '1' HOUR) FROM (SELECT PROCTIME() AS p FROM orders) GROUP BY TUMBLE(p, INTERVAL '1' HOUR)"),
        "12:8: A proctime window cannot provide a rowtime attribute.",
    ),
    "the watermark of another column": (
        insert("SELECT CURRENT_WATERMARK(shop) FROM orders"), "12:8: CURRENT_WATERMARK() must be called with a single rowtime attribute argument",
    ),
    "no time": (changed("DESCRIPTOR(ts)", "DESCRIPTOR(id)"), "13:46: The window function requires the timecol is a time attribute type, but is BIGINT."),
    "watermark on a string": (changed("ts TIMESTAMP(3)", "ts STRING"), "6:19: the rowtime column 'ts' must be TIMESTAMP(3) or TIMESTAMP_LTZ(3), it is STRING"),
    "watermark on a number": (changed("ts TIMESTAMP(3)", "ts BIGINT"), "6:19: the rowtime column 'ts' must be TIMESTAMP(3) or TIMESTAMP_LTZ(3), it is BIGINT"),
    "watermark too precise": (
        changed("ts TIMESTAMP(3)", "ts TIMESTAMP(6)"),
        "6:19: the rowtime column 'ts' is TIMESTAMP(6); a rowtime has at most 3 fraction digits: declare it as TIMESTAMP(3), or add a computed column with a CAST",
    ),
    "watermark of no column": (changed("WATERMARK FOR ts", "WATERMARK FOR tt"), "6:19: there is no column 'tt'; there are id, shop, price, ts"),
    "watermark of another type": (changed("AS ts - INTERVAL '5' MINUTES", "AS shop"), "6:25: the watermark must be a TIMESTAMP like its column 'ts', or BIGINT milliseconds; 'shop' is STRING"),
    "a watermark of nothing": (
        changed("AS ts - INTERVAL '5' MINUTES", "AS NULL"),
        "6:25: a watermark that is always NULL never advances: write one such as ts - INTERVAL '5' SECOND",
    ),
    # windows
    "size no multiple of step": (
        changed("'10' MINUTES", "'7' MINUTES"),
        "13:12: CUMULATE table function based aggregate requires maxSize must be an integral multiple of step, but got maxSize 3600000 ms and step 420000 ms: 1 hour is not a multiple of 7 minutes.",
    ),
    "MONTH": (changed("'10' MINUTES", "'7' MINUTES").replace("'1' HOUR", "'1' MONTH"), "13:12: CUMULATE: 1 month is no multiple of 7 minutes: take a step that divides a day, or months"),
    "YEAR": (changed("'10' MINUTES", "'1' YEAR"), "13:12: CUMULATE: 1 hour is no multiple of 1 year: give the size in months, too"),
    "interval too long for its field": (
        changed("'10' MINUTES", "'600' SECONDS"),
        "13:51: Interval field value 600 exceeds precision of SECOND(2) field: write SECOND(3) or a larger unit",
    ),
    "no interval": (changed("INTERVAL '10' MINUTES", "INTERVAL 'ten' MINUTES"), "13:51: 'ten' is not a number of minutes"),
    "calculated interval": (
        changed("INTERVAL '1' HOUR", "INTERVAL '10' MINUTES * 6"),
        "13:74: Only constant window descriptors are supported: write INTERVAL '10' MINUTES, not INTERVAL '10' MINUTE * 6",
    ),
    "too few arguments": (
        changed(", INTERVAL '10' MINUTES", ""),
        "13:12: Invalid number of arguments to function 'CUMULATE'. Was expecting 4 arguments: DATA, TIMECOL, STEP, SIZE, and optionally OFFSET",
    ),
    "named argument": (changed("INTERVAL '1' HOUR)", "SIZE => INTERVAL '1' HOUR)"), "13:12: CUMULATE: name all arguments or none"),
    "PARTITION BY": (
        changed("TABLE orders,", "TABLE orders PARTITION BY shop,"),
        "13:21: Only tables with set semantics may be partitioned. Invalid PARTITION BY clause in the 0-th operand of table function 'CUMULATE'",
    ),
    "ambiguous window column": (changed("    id BIGINT", "    window_start BIGINT"), "13:12: column 'window_start' of the input is ambiguous with the window's: rename it"),
    # queries
    "not grouped": (changed("SELECT shop", "SELECT id"), "12:8: Expression 'id' is not being grouped: add it to GROUP BY"),
    "nested aggregate": (changed("SUM(price)", "SUM(MAX(price))"), "12:54: SUM can't take another aggregate as its argument"),
    "sum of a string": (changed("SUM(price)", "SUM(shop)"), "12:50: SUM wants a number, here is STRING"),
    "compared types": (changed("\nGROUP", "\nWHERE price = shop\nGROUP"), "14:7: '=' can't compare DECIMAL(10, 2) and STRING: CAST one of them"),
    "no condition": (changed("\nGROUP", "\nWHERE price\nGROUP"), "14:7: WHERE wants a condition, price is DECIMAL(10, 2)"),
    "no date": (changed("\nGROUP", "\nWHERE ts > TIMESTAMP '2024-02-30 00:00:00'\nGROUP"), "14:12: TIMESTAMP '2024-02-30 00:00:00' does not exist: write yyyy-MM-dd HH:mm:ss"),
    "a number too long": (changed("SUM(price)", "SUM(9223372036854775808)"), "12:54: 9223372036854775808 does not fit BIGINT"),
    "a view that nobody reads": (ORDERS + CURVE + "CREATE VIEW v AS SELECT prize FROM orders;\n" + INSERT, "11:25: there is no column 'prize'; did you mean 'price'?"),
    "OPTIONS of a view": (
        ORDERS + CURVE + "CREATE VIEW v AS SELECT * FROM orders;\n" + INSERT.replace("TABLE orders", "TABLE v /*+ OPTIONS('path'='x') */"),
        "14:27: 'v' is no table, so it takes no OPTIONS",
    ),
    "recursive view": (ORDERS + CURVE + "CREATE VIEW v AS SELECT * FROM v;\n" + INSERT.replace("orders", "v"), "11:32: view 'v' reads itself"),
    # what is declared twice, or is too large
    "a column of a view twice": (REPORT + "CREATE VIEW v (a, a) AS SELECT id, shop FROM orders;", "15:19: 'a' is listed twice"),
    "a field twice": (changed("id BIGINT", "id ROW<a INT, a STRING>"), "2:19: field 'a' is declared twice"),
    "an option twice": (changed("'format' = 'csv'", "'path' = 'x', 'format' = 'csv'"), "7:56: the option 'path' is given twice"),
    "an empty string": (changed("shop STRING,\n", "shop CHAR(0),\n"), "3:10: the length of a string must be between 1 and 2147483647, not 0"),
    "a precision of an interval": (changed("'10' MINUTES", "'10' SECOND(11)"), "13:51: the precision of SECOND must be between 1 and 10, not 11"),
    "no precision of an interval": (changed("'10' MINUTES", "'10' SECOND(0)"), "13:51: the precision of SECOND must be between 1 and 10, not 0"),
    "computed of a computed one": (changed("id BIGINT,", "id BIGINT, a AS id + 1, b AS UPPER(a),"), "2:40: column 'a' is computed itself: write its expression here"),
    "an aggregate of a row": (changed("id BIGINT,", "id BIGINT, a AS SUM(id),"), "2:21: SUM is an aggregate: it belongs in SELECT or HAVING of a GROUP BY"),
    "a rank in WHERE": (changed("\nGROUP", "\nWHERE RANK() > 1\nGROUP"), "14:7: RANK belongs in the SELECT of a subquery, with OVER (… ORDER BY …): the query over it can filter by its number"),
    "a bound in WHERE": (changed("\nGROUP", "\nWHERE HOP_START(ts) > ts\nGROUP"), "14:7: HOP_START belongs in SELECT or HAVING of a query that is grouped by HOP(…), with the same arguments"),
    "an aggregate in WHERE": (changed("\nGROUP", "\nWHERE SUM(price) > 1\nGROUP"), "14:7: SUM is an aggregate: it belongs in SELECT or HAVING of a GROUP BY"),
    "no flag": (changed("'1' HOUR)", "'1' HOUR, INTERVAL '0' HOUR, 'yes')"), "13:112: emitOnlyOnUpdate is TRUE or FALSE, not 'yes'"),
    # aggregates
    "no argument": (changed("COUNT(*)", "COUNT()"), "12:40: COUNT takes at least one argument, here are 0"),
    "two arguments": (changed("COUNT(*)", "COLLECT(id, shop)"), "12:40: COLLECT takes one argument, here are 2"),
    "no share": (changed("COUNT(*)", "PERCENTILE(id)"), "12:40: PERCENTILE takes 2 to 3 arguments, here are 1"),
    "a share above 1": (changed("COUNT(*)", "PERCENTILE(id, ARRAY[0.5, 1.5])"), "12:66: Percentage of PERCENTILE should be between [0.0, 1.0], but was '1.5'"),
    "a share of a column": (changed("COUNT(*)", "PERCENTILE(id, price)"), "12:55: PERCENTILE wants numbers from 0 to 1 in the report's text, or ARRAY[…] of them"),
    "a share of words": (changed("COUNT(*)", "PERCENTILE(shop, 0.5)"), "12:51: PERCENTILE wants a number, here is STRING"),
    "half a time": (changed("COUNT(*)", "PERCENTILE(id, 0.5, price)"), "12:60: the frequency of PERCENTILE is a whole number, here is DECIMAL(10, 2)"),
    "a separator of a column": (changed("COUNT(*)", "LISTAGG(shop, shop)"), "12:54: the separator of LISTAGG must be a string literal"),
    "a key of numbers": (changed("COUNT(*)", "JSON_OBJECTAGG(KEY id VALUE price)"), "12:59: a key of JSON_OBJECTAGG is a string, here is BIGINT: CAST it to STRING"),
    "a multiset of maps": (changed("COUNT(*)", "COLLECT(MAP[id, price])"), "12:40: COLLECT can't be taken of MAP<BIGINT, DECIMAL(10, 2)>"),
    "maps that differ": (changed("COUNT(*)", "COUNT(DISTINCT MAP[id, price])"), "12:40: values of MAP<BIGINT, DECIMAL(10, 2)> can't be compared, as DISTINCT asks for"),
    "distinct nothing": (changed("COUNT(*)", "COUNT(DISTINCT NULL)"), "12:40: COUNT can't be taken of NULL: CAST it to a type"),
    # statement sets
    "a set without its end": (REPORT + "EXECUTE STATEMENT SET BEGIN " + INSERT, "15:1: this statement set has no END"),
    "a table in a set": ("BEGIN STATEMENT SET;\n" + ORDERS + "END;", "2:1: a statement set holds INSERT INTO and nothing else, until its END"),
    "a set in a set": (REPORT + "BEGIN STATEMENT SET; EXECUTE STATEMENT SET BEGIN END; END", "15:22: a statement set holds INSERT INTO and nothing else, until its END"),
    "an end of nothing": (REPORT + "END;", "15:1: expected a statement: SET, CREATE TABLE, CREATE VIEW, INSERT INTO or EXECUTE STATEMENT SET, found 'END'"),
    "a wrong insert in a set": (
        ORDERS + CURVE + "EXECUTE STATEMENT SET BEGIN\n" + INSERT.replace("SELECT", "SELEC") + INSERT + "END;",
        "13:1: expected SELECT, found 'SELEC'",
    ),
    # sinks
    "too few columns": (
        changed(", SUM(price)", ""),
        "11:1: the query has 4 columns (shop, window_start, window_end, EXPR$3), table 'curve' takes 5 (shop, window_start, window_end, cnt, gmv)",
    ),
    "another type": (changed("cnt BIGINT", "cnt STRING"), "11:1: column 'cnt' of table 'curve' is STRING, the query's column 'EXPR$3' is BIGINT: CAST it, or change the table"),
    "a narrower type": (changed("cnt BIGINT", "cnt INT"), "11:1: column 'cnt' of table 'curve' is INT, the query's column 'EXPR$3' is BIGINT: CAST it, or change the table"),
    "column list": (changed("INTO curve\n", "INTO curve (shop, nix)\n"), "11:1: table 'curve' has no column 'nix' to insert into"),
    "partitions across a window": (
        changed("gmv DECIMAL(38, 2)\n) WITH", "gmv DECIMAL(38, 2)\n) PARTITIONED BY (shop) WITH"),
        "11:1: partition column 'shop' of table 'curve' must depend on the window alone (for example DATE_FORMAT(window_end, 'yyyy-MM-dd')): a window is published whole, as one file",
    ),
    # statements
    "DROP": ("DROP TABLE x;\n" + REPORT, "1:1: there is no table 'x' to drop"),
    "EXPLAIN of a set": ("EXPLAIN STATEMENT SET BEGIN INSERT INTO x SELECT 1;\n" + REPORT, "1:1: EXPLAIN of a statement set has no place in a report: airflow-nrt plan shows what a report has and does"),
    "ADD FILE": ("ADD FILE 'x.jar';\n" + REPORT, "1:5: expected JAR, found 'FILE'"),
    "USE": ("USE CATALOG hive;\n" + REPORT, "1:1: there is no catalog or database 'hive': a report declares its tables itself, leave USE out"),
    "USE MODULES": ("USE MODULES hive, core;\n" + REPORT, "1:13: there is no module 'hive': Flink's own functions are there, leave USE out"),
    "a catalog elsewhere": ("CREATE CATALOG h WITH ('type' = 'hive');\n" + REPORT, "1:1: CREATE CATALOG of type 'hive' has no place in a report: declare its tables with CREATE TABLE, and leave the catalog out"),
    "a function in Java": (
        "CREATE FUNCTION f AS 'com.example.F';\n" + REPORT,
        "1:1: function 'f' is a Java class, which can't run here: write it in Python, CREATE FUNCTION … AS 'module.function' LANGUAGE PYTHON",
    ),
    "metadata of another connector": (
        changed("    id BIGINT", "    id BIGINT METADATA FROM 'offset'"),
        "2:5: column 'id': connector 'filesystem' has no metadata 'offset'; it has 'file.path', 'file.name', 'file.size', 'file.modification-time'",
    ),
    "metadata as an array": (changed("    id BIGINT", "    id ARRAY<INT> METADATA FROM 'file.name'"), "2:5: column 'id': metadata 'file.name' is a STRING, and can't be cast to ARRAY<INT>"),
    "watermark of no field": (
        changed("ts TIMESTAMP(3)", "event ROW<log_ts TIMESTAMP(3)>").replace("WATERMARK FOR ts", "WATERMARK FOR event.log"),
        "6:19: ROW<`log_ts` TIMESTAMP(3)> has no field 'log'; did you mean 'log_ts'?",
    ),
    "LIKE with two watermarks": (
        REPORT + "CREATE TABLE other (WATERMARK FOR ts AS ts) LIKE orders;",
        "15:1: table 'orders' has a WATERMARK already: write LIKE … (EXCLUDING WATERMARKS or OVERWRITING WATERMARKS)",
    ),
    "LIKE with an option twice": (
        REPORT + "CREATE TABLE other WITH ('path' = 'x') LIKE orders (INCLUDING OPTIONS);",
        "15:1: table 'orders' has the option 'path' already: write LIKE … (EXCLUDING OPTIONS or OVERWRITING OPTIONS)",
    ),
    "LIKE without the rowtime": (
        changed("ts TIMESTAMP(3)", "t STRING, ts AS TO_TIMESTAMP(t)") + "CREATE TABLE other LIKE orders (EXCLUDING GENERATED);",
        "15:1: the WATERMARK of 'orders' reads column 'ts': add EXCLUDING WATERMARKS",
    ),
    "LIKE with keys overwritten": (REPORT + "CREATE TABLE other LIKE orders (OVERWRITING PARTITIONS);", "15:1: LIKE can't overwrite PARTITIONS: write EXCLUDING PARTITIONS"),
    "LIKE with an unknown feature": (REPORT + "CREATE TABLE other LIKE orders (EXCLUDING COLUMNS);", "15:43: expected ALL, CONSTRAINTS, DISTRIBUTION, GENERATED, METADATA, OPTIONS, PARTITIONS or WATERMARKS, found 'COLUMNS'"),
    "an interval of 75 minutes in an hour": (
        changed("INTERVAL '10' MINUTES", "INTERVAL '0:75' HOUR TO MINUTE"),
        "13:51: '0:75': 75 is no MINUTE inside HOUR TO MINUTE",
    ),
    "a descriptor in quotes": (changed("DESCRIPTOR(ts)", "DESCRIPTOR('ts')"), "13:46: expected the name of a column, found 'ts'"),
    "a cast of no interval": (
        changed("INTERVAL '10' MINUTES", "CAST(NULL AS INTERVAL MINUTE)"),
        "13:51: Only constant window descriptors are supported: write INTERVAL '10' MINUTES, not CAST(NULL AS INTERVAL)",
    ),
    "a frame": (insert("SELECT COUNT(*) OVER (ORDER BY ts ROWS 2) FROM orders"), "12:41: expected PRECEDING or FOLLOWING, found ')'"),
    "no path": (changed("'path' = 'orders', ", ""), "13:27: table 'orders' needs the option 'path'"),
    "twice": (ORDERS + REPORT, "8:1: 'orders' exists already"),
    "no insert": (ORDERS, "7:74: a report needs at least one INSERT INTO"),
    "nothing": ("", "1:1: a report needs at least one INSERT INTO"),
    "only a query": (REPORT + "SELECT * FROM orders", "15:1: a report writes its result: put INSERT INTO … before this query"),
    "misspelt keyword": (changed("SELECT shop", "SELEC shop"), "12:1: expected SELECT, found 'SELEC'"),
    "end": (REPORT + "CREATE TABLE", "15:13: expected the name of the table, found the end of the script"),
    "too deep": (changed("SUM(price)", f"SUM({'(' * 60}price{')' * 60})"), "12:102: expected at most 50 nested expressions, found '('"),
    "a long chain": (changed("SUM(price)", f"SUM({'1 + ' * 5000}1)"), "11:1: this statement nests too deeply"),
    "a deep type": (changed("id BIGINT", f"id {'ARRAY<' * 5000}INT{'>' * 5000}"), "1:1: this statement nests too deeply"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong(what: str) -> None:
    script, expected = WRONG[what]
    wrong = refusal(script)
    assert isinstance(wrong, SqlError)
    assert f"{wrong.at.line}:{wrong.at.column}: {wrong.message}" == expected
    assert not isinstance(wrong, NotThereYet)


SIMPLE = "SELECT shop, ts, id, price FROM orders"
LATER = {
    "OVER": (insert("SELECT shop, ts, ts, LISTAGG(shop) OVER (PARTITION BY shop ORDER BY price), price FROM orders"), "12:22: LISTAGG(shop) OVER by anything but time"),
    "several OVER": (
        insert("SELECT shop, SUM(id) OVER (ORDER BY price), SUM(id) OVER (ORDER BY ts) FROM orders"),
        "12:45: several definitions of OVER that are not all by time",
    ),
    "a frame not by time": (
        insert("SELECT shop, SUM(id) OVER (ORDER BY price ROWS 2 PRECEDING) FROM orders"),
        "12:43: a frame other than from UNBOUNDED PRECEDING to CURRENT ROW, not by time",
    ),
    "a subquery across windows": (
        insert(f"SELECT shop FROM (SELECT * FROM {TVF}) a WHERE shop IN (SELECT shop FROM {TVF} b WHERE a.window_end = b.window_end)"),
        "12:130: a subquery without equal window_start; add l.window_start = r.window_start to its condition",
    ),
    "a subquery of another windowing": (
        insert(f"SELECT shop FROM (SELECT * FROM {TVF}) a WHERE EXISTS (SELECT * FROM {TVF.replace('10', '20')} b WHERE a.window_end = b.window_end)"),
        "12:130: a subquery of CUMULATE 20 minutes / 1 hour in CUMULATE 10 minutes / 1 hour; use the same window in both",
    ),
    "a subquery without windows": (
        insert(f"SELECT shop FROM (SELECT * FROM {TVF}) a WHERE EXISTS (SELECT * FROM orders)"),
        "12:130: a subquery where not both queries have windows; window both: TABLE(TUMBLE(…))",
    ),
    "ORDER BY": (insert("SELECT id FROM (SELECT id FROM orders ORDER BY shop)"), "12:17: ORDER BY without LIMIT inside another query"),
    "ORDER BY of several versions": (
        changed("INTO curve", "INTO curve /*+ OPTIONS('first-result' = '-5 min') */").replace(GROUP, f"{GROUP} ORDER BY window_end"),
        "12:1: ORDER BY of windows with early results and late updates",
    ),
    "groups of VALUES": (insert("SELECT COUNT(*) FROM (VALUES (1)) AS t(a)"), "12:1: an aggregation without a window over VALUES"),
    "all VALUES": (insert("SELECT id FROM (VALUES (1)) AS t(id) FULL JOIN orders USING (id)"), "12:16: a join without windows over VALUES"),
    "IN (SELECT)": (changed("\nGROUP", "\nWHERE shop IN (SELECT shop FROM orders)\nGROUP"), "14:7: IN (SELECT …); make it one of the conditions that AND joins in WHERE; if the query groups windows, in a subquery in its FROM"),
    "EXISTS": (changed("\nGROUP", "\nWHERE EXISTS (SELECT shop FROM orders)\nGROUP"), "14:7: a query inside an expression; make it one of the conditions that AND joins in WHERE; if the query groups windows, in a subquery in its FROM"),
    "an order in an aggregate": (changed("COUNT(*)", "LISTAGG(shop) WITHIN GROUP (ORDER BY id)"), "12:40: WITHIN GROUP"),
    "the time of a result": (
        changed("COUNT(*)", "PROCTIME()"), "12:40: PROCTIME above a window or a join; put it below, or into a computed column of the table",
    ),
    "the time of day": (changed("COUNT(*)", "LOCALTIME"), "12:40: LOCALTIME above a window or a join; put it below, or into a computed column of the table"),
    "TUMBLE_PROCTIME of a rowtime": (
        insert("SELECT TUMBLE_PROCTIME(ts, INTERVAL '1' HOUR) FROM orders GROUP BY TUMBLE(ts, INTERVAL '1' HOUR)"),
        "12:8: TUMBLE_PROCTIME of a window over a rowtime",
    ),
    "a ROW into csv": (
        f"{ORDERS}CREATE TABLE curve (r ROW<a BIGINT>) WITH ('connector' = 'filesystem', 'path' = 'c', 'format' = 'csv');\n"
        "INSERT INTO curve SELECT ROW(id) FROM orders;",
        "9:1: table 'curve': column 'r': ROW in csv that is written; use json or parquet",
    ),
    "nanoseconds": (changed("id BIGINT", "id TIMESTAMP(9)"), "2:8: TIMESTAMP with more than 6 fraction digits; Spark keeps microseconds: write TIMESTAMP(6)"),
    "OFFSET": (insert("SELECT shop FROM orders LIMIT 5 OFFSET 1 + 1"), "12:1: OFFSET of anything but a number"),
    "LATERAL with a query": (insert("SELECT * FROM orders, LATERAL (SELECT 1)"), "12:23: LATERAL with a query"),
    "UNNEST by itself": (
        insert("SELECT * FROM UNNEST(ARRAY[1]) AS u (x)"), "12:15: LATERAL and UNNEST without a table in front of them"
    ),
    "UNNEST of UNNEST of UNNEST": (
        insert(f"SELECT orders.* FROM orders {' '.join(f'CROSS JOIN UNNEST(ARRAY[1]) AS u{n} (x{n})' for n in range(3))}"),
        "12:118: more than two LATERAL or UNNEST one after another",
    ),
    "MATCH_RECOGNIZE": (insert("SELECT * FROM orders MATCH_RECOGNIZE (PARTITION BY shop)"), "12:22: MATCH_RECOGNIZE"),
    "TABLESAMPLE": (insert("SELECT * FROM orders TABLESAMPLE BERNOULLI (10)"), "12:22: TABLESAMPLE"),
    "a column of type INTERVAL": (changed("id BIGINT", "id INTERVAL DAY TO SECOND(3)"), "2:5: a column of type INTERVAL"),
    "years and months as a type": (changed("id BIGINT", "id INTERVAL YEAR TO MONTH"), "2:17: type INTERVAL YEAR; ts + INTERVAL '1' MONTH adds a literal"),
}  # fmt: skip


@pytest.mark.parametrize("what", LATER)
def test_what_is_not_there_yet(what: str) -> None:
    script, expected = LATER[what]
    wrong = refusal(script)
    assert isinstance(wrong, NotThereYet)
    assert f"{wrong.at.line}:{wrong.at.column}: {wrong.message}".replace(": not there yet", "") == expected
    assert ": not there yet" in wrong.message


def test_a_zone_does_not_matter_to_a_clock_without_one() -> None:
    shanghai = "SET 'table.local-time-zone' = 'Asia/Shanghai';\n"
    instants = changed("ts TIMESTAMP(3)", "ts TIMESTAMP_LTZ(3)")
    zones = {"": None, shanghai: "Asia/Shanghai"}
    assert [plan_of(setting + REPORT).operators[0].window.zone for setting in zones] == [None, None]
    assert [plan_of(setting + instants).operators[0].window.zone for setting in zones] == list(zones.values())
    assert plan_of(instants + shanghai).zones == plan_of(shanghai + instants).zones == {"orders": "Asia/Shanghai"}


def test_a_report_has_one_zone() -> None:
    setting = "SET 'table.local-time-zone' = '{}';\n".format
    twice = refusal(setting("Asia/Shanghai") + setting("Asia/Shanghai") + setting("Europe/Berlin") + REPORT)
    assert str(twice).startswith("line 3, column 1: a report has one time zone: it is 'Asia/Shanghai' already")
    wrong = refusal(setting("Berlin") + REPORT)
    assert str(wrong).startswith("line 1, column 1: setting 'table.local-time-zone': there is no time zone 'Berlin'")


# ---------------------------------------------------------------------------------------------------- all at once


def problems_of(script: str) -> list[str]:
    wrong = refusal(script)
    assert isinstance(wrong, SqlErrors)
    return [f"{one.at.line}:{one.at.column}: {one.message}" for one in wrong.problems]


def test_all_problems_of_a_query() -> None:
    script = insert(
        f"SELECT shop, window_start, window_end, CONT(*), SUM(prize)\nFROM {TVF}\nWHERE pric > 0\n{GROUP}\nHAVING MAXX(id) > 3"
    )
    assert problems_of(script) == [
        "12:40: there is no function CONT; did you mean 'COUNT'?",
        "12:53: there is no column 'prize'; did you mean 'price'?",
        "14:7: there is no column 'pric'; did you mean 'price'?",
        "16:8: there is no function MAXX; did you mean 'MAX'?",
    ]


def test_all_problems_of_a_script_and_none_that_only_follow() -> None:
    script = changed("shop STRING,\n", "shop STRNG,\n").replace("'format' = 'json'", "'format' = 'jsn'")
    assert problems_of("SET 'a' = 'b';\n" + script) == [
        "1:1: there is no setting 'a'",
        "4:10: there is no type STRNG",
        f"11:55: table 'curve': option 'format': 'jsn' is none of {', '.join(map(repr, FORMATS))}",
    ]


def test_problems_of_several_inserts() -> None:
    first, second = INSERT.replace("SUM(price)", "SUM(prize)"), INSERT.replace("INTO curve", "INTO kurve")
    assert [problem.split(":")[0] for problem in problems_of(ORDERS + CURVE + first + second)] == ["12", "15"]


def test_the_text_shows_each_line() -> None:
    assert str(refusal(changed("COUNT(*)", "CONT(*)").replace("SUM(price)", "SUM(prize)"))) == (
        "2 problems:\n"
        "line 12, column 40: there is no function CONT; did you mean 'COUNT'?\n"
        "    SELECT shop, window_start, window_end, CONT(*), SUM(prize)\n"
        "                                           ^\n"
        "line 12, column 53: there is no column 'prize'; did you mean 'price'?\n"
        "    SELECT shop, window_start, window_end, CONT(*), SUM(prize)\n"
        "                                                        ^"
    )


# ---------------------------------------------------------------------------------------------------- files


def test_a_report_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"can't read the report .*none\.sql: No such file or directory"):
        load_report(tmp_path / "none.sql")
    (tmp_path / "latin.sql").write_bytes("-- größer".encode("latin-1"))
    with pytest.raises(InputError, match="it is no UTF-8 text"):
        load_report(tmp_path / "latin.sql")


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "curve.sql").write_text(REPORT, encoding="utf-8-sig")
    assert load_report(tmp_path / "curve.sql").source("orders").table.path == str(tmp_path / "orders")


def test_placeholders() -> None:
    script = changed("'path' = 'orders'", "'path' = '${DATA}/orders'")
    message = "the placeholder ${DATA} has no value: give one with --set DATA=…"
    wrong = refusal(script)
    assert isinstance(wrong, SqlError)
    assert f"{wrong.at.line}:{wrong.at.column}: {wrong.message}" == f"7:47: {message}"
    assert problems_of("SET 'a' = '${A}';\n" + script) == [f"1:12: {message.replace('DATA', 'A')}", f"8:47: {message}"]
    plan = plan_script(script, {"DATA": "/data", "parallelism.default": "3"}, "x", Path("/base"))
    assert (plan.source("orders").table.path, plan.setting("parallelism.default")) == ("/data/orders", "3")
    with pytest.raises(SqlError, match="there is no setting 'DATTA'"):
        plan_script(script, {"DATA": "/data", "DATTA": "x"}, "x", Path("/base"))


def test_a_query_with_its_own_places() -> None:
    with pytest.raises(SqlError) as wrong:
        plan_query(ORDERS, "SELECT shop\nFROM oders", Path("/"))
    assert str(wrong.value).startswith("line 2, column 6: there is no table or view 'oders'")
    with pytest.raises(SqlError, match="expected the end of the query, found 'SELECT'"):
        plan_query(ORDERS, "SELECT shop FROM orders; SELECT 1", Path("/"))
    with pytest.raises(SqlError, match="column 'x' is only NULL, of no type: write CAST"):
        plan_query(ORDERS, "SELECT NULL AS x, shop FROM orders", Path("/"))
    with pytest.raises(SqlError, match="this statement nests too deeply"):
        plan_query(ORDERS, f"SELECT {'1 + ' * 5000}1 FROM orders", Path("/"))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM orders ORDER BY f(id)",
        "SELECT f(id) FROM orders",
        "SELECT id FROM orders WHERE id > (SELECT MAX(f(id)) FROM orders)",
        "SELECT x FROM (SELECT f(id) AS x FROM orders)",
    ],
)
def test_a_function_that_can_not_be_had_is_the_only_problem(query: str) -> None:
    """What merely follows from it is not said."""
    function = "CREATE FUNCTION f AS 'no_such_module.f' LANGUAGE PYTHON;\n"
    sink = "CREATE TABLE told (id BIGINT) WITH ('connector' = 'print');\n"
    with pytest.raises(SqlError, match="no Python module 'no_such_module'"):
        plan_of(f"{function}{ORDERS}{sink}INSERT INTO told {query};")


def test_sql_grows_with_the_report_and_not_with_its_nesting() -> None:
    text = "shop"
    for _ in range(4):
        text = f"CAST(TO_TIMESTAMP({text}) AS STRING)"
    sink = "CREATE TABLE told (t STRING) WITH ('connector' = 'print');\n"
    plan = plan_of(f"{ORDERS}{sink}INSERT INTO told SELECT {text} FROM orders;")
    assert len(plan.inserts[0].query.sql) < 30_000
