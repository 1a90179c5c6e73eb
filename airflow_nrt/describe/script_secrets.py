"""The text of a report without its secrets, whether it is a script or a program: what people may read of it.

A report should name its secrets by placeholders, which stay. What stands in it all the same is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from airflow_nrt.model.options.settings import NO_SETTINGS

HIDDEN = "***"
_GAP = r"(?:\s|--[^\n]*\n|\#[^\n]*\n|/\*[^*]{0,1000}\*+(?:[^/*][^*]{0,1000}\*+){0,20}/)*"
_NAME = r"(?P<{0}quote>['\"])(?P<{0}name>(?:(?!(?P={0}quote))[^\n]){{1,200}})(?P={0}quote)"
_VALUE = (
    r"""(?:[A-Za-z]{0,2}\\?|U&)"""
    r"""(?:\"\"\"(?P<long>.*?)(?:\"\"\"|\Z)|'(?P<single>(?:[^']|'')*)(?:'|\Z)|"(?P<double>[^"\n]*)"?)"""
)
_OPTION = re.compile(
    rf"""
    (?: {_NAME.format("o")} \]? (?:{_GAP} [=:] | (?=[\s/\#-]))          # 'password' = '…', "password": "…"
      | \.\w+\( {_GAP} {_NAME.format("c")} {_GAP} ,                      # .option("password", "…")
      | (?P<word>\b\w*(?:password|passwd|passphrase|pwd|secret|token|credential|authorization)\w*) {_GAP} =
    ) {_GAP} {_VALUE}
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_BARE = re.compile(rf"'(?P<name>[^'\n]{{1,200}})'{_GAP}={_GAP}(?P<value>[^\s'\",;)][^\s'\",;)]*)", re.DOTALL)
"""An option whose value lacks its quotes."""
_SET = re.compile(
    rf"\bSET\b{_GAP}(?P<quote>'?)(?P<name>[\w.-]{{1,200}})(?P=quote){_GAP}={_GAP}(?P<value>[^\s;'][^;'\n]*)",
    re.DOTALL | re.IGNORECASE,
)
# The last letters of a longer scheme are found as well: a search from each letter to the end would be slow.
_URL = re.compile(r"[A-Za-z][\w+.-]{0,40}://(?:(?P<user>[^\s'\"`/?#@]*)@)?[^\s'\"`?]*(?:\?(?P<query>[^\s'\"`]*))?")
_PARAMETER = re.compile(r"(?:[^=&]*=)?(?P<value>[^&]+)")
_PLACEHOLDERS = re.compile(r"(?:\$\{[^}]*\}|[:;&]?(?=\$\{))+")


def without_secrets(text: str) -> str:
    """`***` for what options that are named like secrets have, and for users and parameters of URLs."""
    pieces, end = [], 0
    for start, until in secret_spans(text):
        pieces += [text[end:start], HIDDEN]
        end = until
    return "".join([*pieces, text[end:]])


def shown_option(name: str, text: str) -> str:
    """The value of an option or setting, without its secrets."""
    if _is_secret(name) and text and _PLACEHOLDERS.fullmatch(text) is None:
        return HIDDEN
    return without_secrets(text)


@lru_cache(maxsize=1)
def secret_spans(text: str) -> tuple[tuple[int, int], ...]:
    """From where to where secrets stand in a text, in their order, apart from each other.

    Each of a hundred errors in one script asks for them.
    """
    found: list[tuple[int, int]] = []
    for start, end in sorted(_spans(text)):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        elif start < end and _PLACEHOLDERS.fullmatch(text, start, end) is None:
            found.append((start, end))
    return tuple(found)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    for option in _OPTION.finditer(text):
        if option["word"] or _is_secret(option["oname"] or option["cname"]):
            yield next(option.span(one) for one in ("long", "single", "double") if option[one] is not None)
    for unquoted in (*_SET.finditer(text), *_BARE.finditer(text)):
        if _is_secret(unquoted["name"]):
            yield unquoted.span("value")
    for url in _URL.finditer(text):
        if url["user"]:
            yield url.span("user")
        if url["query"]:
            yield from (one.span("value") for one in _PARAMETER.finditer(text, *url.span("query")))


def _is_secret(name: str) -> bool:
    # Options of Kafka's keys are called `key.…`.
    return NO_SETTINGS.is_masked(name.removeprefix("key."))
