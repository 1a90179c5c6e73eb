"""Functions that other engines have under names of their own, and what Flink writes for them."""

_FIRST = "FIRST_VALUE(x), MIN(x) or MAX(x)"
_NOW = "CURRENT_TIMESTAMP"
_QUANTILE = "PERCENTILE(x, 0.5)"
_ROUNDED = "FLOOR(ts TO DAY)"
_BETWEEN = "TIMESTAMPDIFF(DAY, earlier, later)"
_LATER = "ts + INTERVAL '1' DAY, or TIMESTAMPADD(DAY, n, ts)"
_EARLIER = "ts - INTERVAL '1' DAY, or TIMESTAMPADD(DAY, -n, ts)"
_NEWEST = "ROW_NUMBER() OVER (… ORDER BY …) AS n in a subquery, and WHERE n = 1 over it"

WRITTEN: dict[str, str] = {
    **dict.fromkeys(("NVL", "ISNULL"), "COALESCE(x, y)"),
    "NVL2": "IF(x IS NOT NULL, y, z)",
    "IIF": "IF(condition, x, y)",
    **dict.fromkeys(("DATE_TRUNC", "TIME_BUCKET", "DATETIME_TRUNC", "TIMESTAMP_TRUNC"), _ROUNDED),
    **dict.fromkeys(("DATE_ADD", "DATEADD", "TIMESTAMP_ADD"), _LATER),
    **dict.fromkeys(("DATE_SUB", "DATESUB", "TIMESTAMP_SUB"), _EARLIER),
    **dict.fromkeys(("DATEDIFF", "DATE_DIFF", "TIMESTAMP_DIFF"), _BETWEEN),
    **dict.fromkeys(("DATE_PART", "DATEPART"), "EXTRACT(DAY FROM ts)"),
    **dict.fromkeys(("TO_CHAR", "STRFTIME", "FORMAT_DATETIME"), "DATE_FORMAT(ts, 'yyyy-MM-dd')"),
    **dict.fromkeys(("GETDATE", "SYSDATE"), _NOW),
    "TO_UNIX_TIMESTAMP": "UNIX_TIMESTAMP(text, format)",
    **dict.fromkeys(("SIZE", "ARRAY_LENGTH", "ARRAY_SIZE"), "CARDINALITY(x)"),
    **dict.fromkeys(("LEN", "LENGTH"), "CHAR_LENGTH(x)"),
    **dict.fromkeys(("STRPOS", "CHARINDEX"), "POSITION(y IN x)"),
    "UCASE": "UPPER(x)",
    "LCASE": "LOWER(x)",
    "REGEXP_LIKE": "REGEXP(x, pattern)",
    "STRUCT": "ROW(x, y)",
    **dict.fromkeys(("EXPLODE", "FLATTEN"), "CROSS JOIN UNNEST(x) AS t (y) in FROM"),
    **dict.fromkeys(("GEN_RANDOM_UUID", "GENERATE_UUID", "UUID_STRING", "NEWID"), "UUID()"),
    "SAFE_CAST": "TRY_CAST(x AS INT)",
    **dict.fromkeys(("MEDIAN", "APPROX_PERCENTILE", "PERCENTILE_APPROX", "PERCENTILE_CONT", "QUANTILE"), _QUANTILE),
    **dict.fromkeys(("ANY_VALUE", "ARBITRARY"), _FIRST),
    "FIRST": "FIRST_VALUE(x)",
    "LAST": "LAST_VALUE(x)",
    **dict.fromkeys(("MAX_BY", "MIN_BY", "ARG_MAX", "ARG_MIN", "ARGMAX", "ARGMIN"), _NEWEST),
    **dict.fromkeys(("STRING_AGG", "GROUP_CONCAT"), "LISTAGG(x, ',')"),
    "COLLECT_LIST": "ARRAY_AGG(x)",
    "COLLECT_SET": "ARRAY_AGG(DISTINCT x)",
    **dict.fromkeys(("COUNT_IF", "COUNTIF"), "COUNT(*) FILTER (WHERE condition)"),
    "SUM_IF": "SUM(x) FILTER (WHERE condition)",
    **dict.fromkeys(("BOOL_AND", "EVERY"), "MIN(CASE WHEN condition THEN 1 ELSE 0 END) = 1"),
    "BOOL_OR": "MAX(CASE WHEN condition THEN 1 ELSE 0 END) = 1",
    **dict.fromkeys(("APPROX_DISTINCT", "UNIQ", "COUNT_DISTINCT"), "COUNT(DISTINCT x)"),
}
