"""PyFlink's names of plain functions, and those of SQL: `col("s").upper_case` is `UPPER(s)`.

Other forms, and aggregates, are methods of `Expression`.
"""

from __future__ import annotations

PROPERTIES = {
    "exp": "EXP", "log10": "LOG10", "log2": "LOG2", "ln": "LN", "abs": "ABS", "sign": "SIGN", "sqrt": "SQRT",
    "sin": "SIN", "cos": "COS", "tan": "TAN", "cot": "COT", "asin": "ASIN", "acos": "ACOS", "atan": "ATAN",
    "sinh": "SINH", "cosh": "COSH", "tanh": "TANH", "degrees": "DEGREES", "radians": "RADIANS",
    "bin": "BIN", "hex": "HEX", "unhex": "UNHEX",
    "upper_case": "UPPER", "lower_case": "LOWER", "init_cap": "INITCAP", "char_length": "CHAR_LENGTH",
    "reverse": "REVERSE", "ascii": "ASCII", "chr": "CHR",
    "from_base64": "FROM_BASE64", "to_base64": "TO_BASE64",
    "md5": "MD5", "sha1": "SHA1", "sha224": "SHA224", "sha256": "SHA256", "sha384": "SHA384", "sha512": "SHA512",
    "to_date": "TO_DATE", "to_timestamp": "TO_TIMESTAMP",
    "cardinality": "CARDINALITY", "element": "ELEMENT",
    "map_keys": "MAP_KEYS", "map_values": "MAP_VALUES", "map_entries": "MAP_ENTRIES",
}  # fmt: skip
"""Without an argument and without parentheses."""

METHODS = {
    "round": "ROUND", "truncate": "TRUNCATE", "power": "POWER", "sha2": "SHA2",
    "substring": "SUBSTRING", "substr": "SUBSTR", "replace": "REPLACE", "locate": "LOCATE", "instr": "INSTR",
    "lpad": "LPAD", "rpad": "RPAD", "overlay": "OVERLAY", "position": "POSITION", "repeat": "REPEAT",
    "left": "LEFT", "right": "RIGHT", "starts_with": "STARTSWITH", "ends_with": "ENDSWITH",
    "concat": "CONCAT", "ltrim": "LTRIM", "rtrim": "RTRIM", "translate": "TRANSLATE", "btrim": "BTRIM", "elt": "ELT",
    "split": "SPLIT", "split_index": "SPLIT_INDEX",
    "str_to_map": "STR_TO_MAP", "parse_url": "PARSE_URL", "url_encode": "URL_ENCODE", "url_decode": "URL_DECODE",
    "encode": "ENCODE", "decode": "DECODE",
    "regexp": "REGEXP", "regexp_replace": "REGEXP_REPLACE", "regexp_extract": "REGEXP_EXTRACT",
    "regexp_extract_all": "REGEXP_EXTRACT_ALL", "regexp_count": "REGEXP_COUNT", "regexp_instr": "REGEXP_INSTR",
    "regexp_substr": "REGEXP_SUBSTR",
    "if_null": "IFNULL", "null_if": "NULLIF",
    "array_contains": "ARRAY_CONTAINS", "array_position": "ARRAY_POSITION", "array_remove": "ARRAY_REMOVE",
    "array_append": "ARRAY_APPEND", "array_prepend": "ARRAY_PREPEND", "array_concat": "ARRAY_CONCAT",
    "array_union": "ARRAY_UNION", "array_except": "ARRAY_EXCEPT", "array_intersect": "ARRAY_INTERSECT",
    "array_distinct": "ARRAY_DISTINCT", "array_reverse": "ARRAY_REVERSE", "array_max": "ARRAY_MAX",
    "array_min": "ARRAY_MIN", "array_slice": "ARRAY_SLICE", "array_sort": "ARRAY_SORT", "array_join": "ARRAY_JOIN",
    "map_union": "MAP_UNION",
}  # fmt: skip
"""Called with arguments in parentheses; the expression before the dot is SQL's first argument."""

AGGREGATES = {
    "sum": "SUM", "min": "MIN", "max": "MAX", "count": "COUNT", "avg": "AVG",
    "first_value": "FIRST_VALUE", "last_value": "LAST_VALUE", "collect": "COLLECT", "array_agg": "ARRAY_AGG",
    "stddev_pop": "STDDEV_POP", "stddev_samp": "STDDEV_SAMP", "var_pop": "VAR_POP", "var_samp": "VAR_SAMP",
}  # fmt: skip
"""Aggregates of one value, written without parentheses."""
