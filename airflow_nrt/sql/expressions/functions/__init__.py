"""Scalar functions by name. A function takes its checked arguments, its place and its name, and gives a checked result.

A new function is one entry in the file of its family; a new family is one file and one line here.
`docs/reference/functions.md` says what each does.
"""

from airflow_nrt.sql.expressions.functions.arithmetic import ARITHMETIC
from airflow_nrt.sql.expressions.functions.collections import COLLECTIONS, named_row
from airflow_nrt.sql.expressions.functions.conditional import CONDITIONAL
from airflow_nrt.sql.expressions.functions.hashes import HASHES
from airflow_nrt.sql.expressions.functions.json import JSON
from airflow_nrt.sql.expressions.functions.regex import REGULAR_EXPRESSIONS
from airflow_nrt.sql.expressions.functions.signature import Function
from airflow_nrt.sql.expressions.functions.strings import STRINGS
from airflow_nrt.sql.expressions.functions.temporal import TEMPORAL
from airflow_nrt.sql.expressions.functions.time_texts import TIME_TEXTS
from airflow_nrt.sql.expressions.window_functions import WINDOW_FUNCTIONS

FAMILIES: dict[str, dict[str, Function]] = {
    "Arithmetic": ARITHMETIC,
    "Conditional": CONDITIONAL,
    "Strings": STRINGS,
    "Regular expressions": REGULAR_EXPRESSIONS,
    "Hashes": HASHES,
    "Time": {**TEMPORAL, **TIME_TEXTS},
    "JSON": JSON,
    "Collections": COLLECTIONS,
}
FUNCTIONS: dict[str, Function] = {name: function for family in FAMILIES.values() for name, function in family.items()}

OF_PROGRAMS: dict[str, Function] = {"ROW[ ]": named_row}
"""Functions that SQL can't spell: only the Table API calls them."""

CHANGING = frozenset(
    """
    RAND RAND_INTEGER
    """.split()
)
"""Functions that give another value in each run."""

_OF_A_GROUP = "belongs in SELECT or HAVING of a query that is grouped by {}(…), with the same arguments"
_OF_SETS = "belongs in SELECT or HAVING of a GROUP BY, and takes its keys"
_RANK = "belongs in the SELECT of a subquery, with OVER (… ORDER BY …): the query over it can filter by its number"
_STANDING = "belongs in SELECT, with OVER (PARTITION BY window_start, window_end ORDER BY …)"
_IN_FROM = (
    "belongs in FROM, as TABLE({}(TABLE …, DESCRIPTOR(…), …)) with GROUP BY window_start, window_end, "
    "or is a whole key of GROUP BY, not inside ROLLUP, CUBE or GROUPING SETS"
)
ELSEWHERE: dict[str, str] = {
    **{kind: _IN_FROM.format(kind) for kind in WINDOW_FUNCTIONS},
    **{
        f"{kind}_{what}": _OF_A_GROUP.format(kind)
        for kind in WINDOW_FUNCTIONS
        for what in ("START", "END", "ROWTIME", "PROCTIME")
    },
    **dict.fromkeys(("GROUPING", "GROUPING_ID", "GROUP_ID"), _OF_SETS),
    **dict.fromkeys(("ROW_NUMBER", "RANK", "DENSE_RANK"), _RANK),
    **dict.fromkeys(("NTILE", "PERCENT_RANK", "CUME_DIST"), _STANDING),
    **dict.fromkeys(("LAG", "LEAD"), "belongs in SELECT, with OVER (… ORDER BY a time attribute)"),
}
"""Functions of windows and of groups, and the clauses that they belong in."""

_OF_TEXTS = "keep the text, and read it by JSON_VALUE and JSON_QUERY"
_OF_SETS_OF_NUMBERS = "COUNT(DISTINCT …) counts exactly, ARRAY_AGG and COLLECT keep the values"
MISSING: dict[str, str] = {
    "HASH_CODE": "MD5, SHA1 and SHA2 are hashes that every engine agrees on",
    "PRINTF": "CONCAT, LPAD and CAST put texts together",
    "JSON": "JSON_STRING, JSON_OBJECT and JSON_ARRAY write JSON",
    "JSON_QUOTE": "JSON_STRING quotes a string",
    "JSON_UNQUOTE": "JSON_VALUE(x, '$') takes the quotes off",
    **dict.fromkeys(("PARSE_JSON", "TRY_PARSE_JSON"), _OF_TEXTS),
    **dict.fromkeys(("INET_ATON", "INET_NTOA"), "a function in Python can do it"),
    **dict.fromkeys(("OBJECT_OF", "OBJECT_UPDATE"), "ROW(…) and CAST to ROW<…> make rows"),
    "CURRENT_DATABASE": "write its name",
    **{
        f"BITMAP_{what}": _OF_SETS_OF_NUMBERS
        for what in "AND ANDNOT BUILD CARDINALITY FROM_BYTES OR TO_ARRAY TO_BYTES TO_STRING XOR".split()
    },
}
"""Flink's other scalar functions, and what to use instead."""
