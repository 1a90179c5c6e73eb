"""Functions of strings. Positions count from 1."""

from __future__ import annotations

from collections.abc import Sequence

from airflow_nrt.basics.spelling import string_literal
from airflow_nrt.basics.types import STRING, DataType
from airflow_nrt.sql.errors import Place, SqlError
from airflow_nrt.sql.expressions.functions.signature import (
    BINARY,
    TEXT,
    TRUTH,
    WHOLE,
    Function,
    any_nullable,
    check_count,
    check_integer,
    check_string,
    constant,
    constant_integer,
    of_strings,
    scalar,
    strict,
)
from airflow_nrt.sql.expressions.typed import Typed, common_type

_CHARSETS = ("US-ASCII", "ISO-8859-1", "UTF-8", "UTF-16BE", "UTF-16LE", "UTF-16")
_LONGEST = 2**31 - 1
_CHARACTERS = 2**16
_WORDS = "regexp_extract_all({0}, '[A-Za-z0-9]+|[^A-Za-z0-9]+', 0)"
_CAPITAL = "IF(_nrt_w RLIKE '^[A-Za-z0-9]', concat(upper(left(_nrt_w, 1)), lower(substring(_nrt_w, 2))), _nrt_w)"


def _substring(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """SUBSTRING: empty if the start is before the first character, NULL if the length is below 0.

    SUBSTRING(s, 2, 3) is "substring(`s`, 2, 3)".
    """
    check_count(arguments, at, name, 2, 3)
    check_string(arguments[0], 1, at, name)
    for position, argument in enumerate(arguments[1:], 2):
        check_integer(argument, position, at, name)
    text, start = arguments[0].sql, arguments[1].sql
    length = arguments[2].sql if len(arguments) == 3 else str(_LONGEST)
    cases = []
    if len(arguments) == 3 and not _is_natural(arguments[2]):
        cases.append(f"WHEN {length} < 0 THEN NULL")
    if not _is_natural(arguments[1]):
        cases.append(f"WHEN -{start} > char_length({text}) THEN ''")
    sql = f"substring({text}, {start}, {length})"
    return Typed(f"CASE {' '.join(cases)} ELSE {sql} END" if cases else sql, STRING)


def _is_natural(argument: Typed) -> bool:
    return argument.constant is not None and argument.constant.isdigit()


def _trim(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """TRIM(BOTH 'x' FROM s) is "trim(BOTH 'x' FROM `s`)"."""
    side, characters, text = arguments
    check_string(characters, 1, at, name)
    check_string(text, 2, at, name)
    nullable = any_nullable((characters, text))
    return Typed(f"trim({side.sql} {characters.sql} FROM {text.sql})", TEXT.with_nullable(nullable))


def _trimming(side: str) -> tuple[str, str]:
    r"""SQL that trims blanks, and other characters.

    >>> print(*_trimming("LEADING"), sep="\n")
    trim(LEADING ' ' FROM {0})
    trim(LEADING {1} FROM {0})
    """
    return f"trim({side} ' ' FROM {{0}})", f"trim({side} {{1}} FROM {{0}})"


def _padded(spark: str) -> Function:
    """LPAD, RPAD: NULL if the padding is empty, or the length is below 0."""
    return scalar("sis", STRING, f"CASE WHEN {{1}} < 0 OR {{2}} = '' THEN NULL ELSE {spark}({{0}}, {{1}}, {{2}}) END")


def _position(needle: str, text: str, start: str) -> Function:
    """The position of a string in another one, from a position on. The empty string is found at 1."""
    search = f"CASE WHEN {needle} = '' THEN 1 ELSE locate({needle}, {text}, greatest({start}, 1)) END"
    plain = scalar("ss", WHOLE, f"locate({needle}, {text})")
    beginning = scalar("ssi", WHOLE, search)

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        check_count(arguments, at, name, 2, 3)
        position = (plain if len(arguments) == 2 else beginning)(arguments, at, name)
        return Typed(strict(arguments, position.sql), position.type)

    return function


def _overlay(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """OVERLAY: a start outside of the string changes nothing. A length below 1 replaces the rest, as in Flink.

    OVERLAY(s PLACING t FROM 2 FOR 3) is "CASE WHEN `s` IS NULL OR `t` IS NULL THEN NULL ELSE CASE WHEN 2 < 1 OR 2 >
    char_length(`s`) THEN `s` WHEN 3 < 1 THEN concat(left(`s`, 2 - 1), `t`) ELSE concat(left(`s`, 2 - 1), `t`,
    substring(`s`, 2 + 3)) END END".
    """
    check_count(arguments, at, name, 3, 4)
    for position, check in enumerate((check_string, check_string, check_integer, check_integer)[: len(arguments)]):
        check(arguments[position], position + 1, at, name)
    text, replacement, start, *rest = (argument.sql for argument in arguments)
    length = rest[0] if rest else f"char_length({replacement})"
    head = f"left({text}, {start} - 1)"
    sql = (
        f"CASE WHEN {start} < 1 OR {start} > char_length({text}) THEN {text}"
        f" WHEN {length} < 1 THEN concat({head}, {replacement})"
        f" ELSE concat({head}, {replacement}, substring({text}, {start} + {length})) END"
    )
    return Typed(strict(arguments, sql), TEXT.with_nullable(any_nullable(arguments)))


def _concat_ws(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """CONCAT_WS(',', s, t) is "concat_ws(',', `s`, `t`)"."""
    check_count(arguments, at, name, 1, None)
    for position, argument in enumerate(arguments, 1):
        check_string(argument, position, at, name)
    listed = ", ".join(argument.sql for argument in arguments)
    return Typed(f"concat_ws({listed})", TEXT.with_nullable(arguments[0].type.nullable))


def _replace(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    r"""REPLACE: replacing the empty string puts the new text around every character, as in Flink.

    REPLACE(s, t, 'x') is "IF(`t` = '', regexp_replace(`s`, '', replace(replace('x', '\\', '\\\\'), '$', '\\$')),
    replace(`s`, `t`, 'x'))".
    """
    replaced = scalar("sss", TEXT, "replace({0}, {1}, {2})")(arguments, at, name)
    if arguments[1].constant:
        return replaced
    around = f"regexp_replace({arguments[0].sql}, '', {quoted(arguments[2].sql)})"
    return Typed(f"IF({arguments[1].sql} = '', {around}, {replaced.sql})", replaced.type)


def quoted(replacement: str) -> str:
    r"""A replacement for a regular expression as literal text: `$1` is no group.

    >>> print(quoted("s"))
    replace(replace(s, '\\', '\\\\'), '$', '\\$')
    """
    return f"replace(replace({replacement}, '\\\\', '\\\\\\\\'), '$', '\\\\$')"


def _element(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    """ELT: the value at a position among the others, NULL if there is none.

    ELT(n, s, t) is "CASE `n` WHEN 1 THEN `s` WHEN 2 THEN `t` END".

    ELT(n, s, t) is "CASE `n` WHEN 1 THEN `s` WHEN 2 THEN `t` END".
    """
    check_count(arguments, at, name, 2, None)
    check_integer(arguments[0], 1, at, name)
    for position, argument in enumerate(arguments[1:], 2):
        check_string(argument, position, at, name)
    branches = " ".join(f"WHEN {place} THEN {value.sql}" for place, value in enumerate(arguments[1:], 1))
    kind = common_type([argument.type for argument in arguments[1:]]) or STRING
    return Typed(f"CASE {arguments[0].sql} {branches} END", kind.with_nullable(True))


def _coded(kinds: str, spark: str, result: DataType) -> Function:
    """ENCODE and DECODE, with one of the character sets that Flink names."""
    inner = scalar(kinds, result, f"{spark}({{0}}, {{1}})")

    def function(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
        typed = inner(arguments, at, name)
        charset = constant(arguments[1], at, name, "a character set")
        if charset.upper() not in _CHARSETS:
            raise SqlError(f"{name} knows no character set {charset!r}: there are {', '.join(_CHARSETS)}", at)
        return typed

    return function


def _split(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    r"""SPLIT(s, ',') is "CAST(CASE WHEN `s` IS NULL THEN NULL ELSE IF(`s` = '', array(), split(`s`, '\\x{2c}')) END AS
    ARRAY<STRING>)".
    """
    check_count(arguments, at, name, 2, 2)
    check_string(arguments[0], 1, at, name)
    check_string(arguments[1], 2, at, name)
    text = arguments[0].sql
    parts = f"IF({text} = '', array(), split({text}, {literally(constant(arguments[1], at, name, 'a delimiter'))}))"
    children = (("element", TEXT),)
    kind = DataType("ARRAY", nullable=any_nullable(arguments), children=children)
    return Typed(f"CAST({strict(arguments, parts)} AS ARRAY<STRING>)", kind)


def literally(text: str) -> str:
    """A regular expression that matches only this text, as a Spark string."""
    return string_literal("".join(f"\\x{{{ord(character):x}}}" for character in text))


def _split_index(arguments: Sequence[Typed], at: Place, name: str) -> Typed:
    r"""SPLIT_INDEX: the part at an index from 0. The empty string has no parts.

    SPLIT_INDEX(s, ',', 1) is "IF(`s` = '', NULL, get(split(`s`, '\\x{2c}'), 1))".
    """
    check_count(arguments, at, name, 3, 3)
    check_string(arguments[0], 1, at, name)
    check_integer(arguments[2], 3, at, name)
    if arguments[1].type.is_integer:
        code = constant_integer(arguments[1], at, name, "a delimiter")
        delimiter = chr(code) if 0 < code < _CHARACTERS else ""
    else:
        delimiter = constant(arguments[1], at, name, "a delimiter")
    if not delimiter:
        raise SqlError(f"{name} wants at least one character as the delimiter", at)
    text = arguments[0].sql
    return Typed(f"IF({text} = '', NULL, get(split({text}, {literally(delimiter)}), {arguments[2].sql}))", STRING)


STRINGS: dict[str, Function] = {
    "UPPER": scalar("s", TEXT, "upper({0})"),
    "LOWER": scalar("s", TEXT, "lower({0})"),
    "CHAR_LENGTH": scalar("s", WHOLE, "char_length({0})"),
    "CHARACTER_LENGTH": scalar("s", WHOLE, "char_length({0})"),
    "CONCAT": of_strings("concat({all})", 1),
    "CONCAT_WS": _concat_ws,
    "REPLACE": _replace,
    "REVERSE": scalar("s", TEXT, "reverse({0})"),
    "REPEAT": scalar("si", TEXT, "repeat({0}, {1})"),
    "INITCAP": scalar("s", TEXT, f"array_join(transform({_WORDS}, _nrt_w -> {_CAPITAL}), '')"),
    "OVERLAY": _overlay,
    "POSITION": _position("{0}", "{1}", "{2}"),
    "LOCATE": _position("{0}", "{1}", "{2}"),
    "INSTR": _position("{1}", "{0}", "{2}"),
    "SUBSTRING": _substring,
    "SUBSTR": _substring,
    "TRIM": _trim,
    "LTRIM": scalar("ss", TEXT, *_trimming("LEADING")),
    "RTRIM": scalar("ss", TEXT, *_trimming("TRAILING")),
    "BTRIM": scalar("ss", TEXT, *_trimming("BOTH")),
    "LEFT": scalar("si", TEXT, "left({0}, {1})"),
    "RIGHT": scalar("si", TEXT, "right({0}, {1})"),
    "LPAD": _padded("lpad"),
    "RPAD": _padded("rpad"),
    "STARTSWITH": scalar("ss", TRUTH, "startswith({0}, {1})"),
    "ENDSWITH": scalar("ss", TRUTH, "endswith({0}, {1})"),
    "TRANSLATE": scalar("sss", TEXT, "translate({0}, {1}, {2})"),
    "TRANSLATE3": scalar("sss", TEXT, "translate({0}, {1}, {2})"),
    # Flink gives the first byte of UTF-8, with its sign.
    "ASCII": scalar(
        "s", WHOLE,
        "IF(ascii({0}) < 128, ascii({0}), CAST(conv(substring(hex({0}), 1, 2), 16, 10) AS INT) - 256)",
    ),
    "CHR": scalar("i", TEXT, "chr({0})"),
    "ENCODE": _coded("ss", "encode", BINARY),
    "DECODE": _coded("bs", "decode", TEXT),
    "TO_BASE64": scalar("s", TEXT, "replace(base64(CAST({0} AS BINARY)), '\\r\\n', '')"),
    "FROM_BASE64": scalar("s", TEXT, "CAST(to_binary({0}, 'base64') AS STRING)"),
    "URL_ENCODE": scalar("s", TEXT, "url_encode({0})"),
    "URL_DECODE": scalar("s", STRING, "try_url_decode({0})"),
    "PARSE_URL": scalar("sss", STRING, "try_parse_url({0}, {1})", "try_parse_url({0}, {1}, {2})"),
    "ELT": _element,
    "SPLIT": _split,
    "SPLIT_INDEX": _split_index,
}  # fmt: skip
