"""Values of settings in place of `${KEY}`, also of `${conn:NAME.field}` and `${var:NAME}`.

A value can't change the syntax around its placeholder.

In a literal and in a quoted name its quotes are escaped. Elsewhere it may contain nothing that ends a literal, a
statement or a line. Comments are unchanged.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from airflow_nrt.model.options.settings import Settings
from airflow_nrt.sql.errors import Place, Problems, SqlError, SqlErrors
from airflow_nrt.sql.parse.lexer import Quoted, quoted_parts
from airflow_nrt.sql.parse.limits import check_script, check_size

_PLACEHOLDER = re.compile(r"\$\{(\w+|(?:conn|var):[\w.-]+)\}")
_UNSAFE = re.compile(r"['`\";]|--|/\*|\*/|[\n\r\v\f\x00\x1c-\x1e\x85\u2028\u2029]")
_CALLED = {"'": "a quote", "`": "a quote", '"': "a quote", ";": "a semicolon", "--": "a comment", "/*": "a comment"}
_QUOTES = {"string": "'", "quoted": "`"}


@dataclass(frozen=True)
class _Hole:
    """A placeholder, from `at` to `end` in the script, and its `text`, which ends at `end_in_text` when filled."""

    name: str
    at: int
    end: int
    text: str
    end_in_text: int


@dataclass(frozen=True)
class Filled:
    """A script with its placeholders filled: `text`. Errors in the text are reported at places of the script."""

    script: str
    text: str
    holes: Sequence[_Hole]

    def in_script(self, wrong: SqlError | SqlErrors, given: Settings) -> SqlError | SqlErrors:
        """The error with places of the script, and without masked values."""
        for one in wrong.problems if isinstance(wrong, SqlErrors) else [wrong]:
            if self.holes and one.script == self.text and isinstance(one.at, Place):
                one.at, one.script = self._place(one.at), self.script
        return shown(wrong, given)

    def _place(self, at: Place) -> Place:
        if at.offset >= len(self.text):
            return Place(at.line - self.text.count("\n") + self.script.count("\n"), at.column, len(self.script))
        return place_in(self.script, self._offset(at.offset))

    def _offset(self, offset: int) -> int:
        """The offset in the script of an offset in the text."""
        ends = [hole.end_in_text for hole in self.holes]
        number = bisect_right(ends, offset)
        if number < len(self.holes):
            hole = self.holes[number]
            start = hole.end_in_text - len(hole.text)
            return hole.at - max(start - offset, 0)
        return offset - ends[-1] + self.holes[-1].end if ends else offset


def shown(wrong: SqlError | SqlErrors, given: Settings) -> SqlError | SqlErrors:
    """The error without masked values."""
    for one in wrong.problems if isinstance(wrong, SqlErrors) else [wrong]:
        one.message, one.script = given.shown(one.message), one.script and given.shown(one.script)
    return wrong


def placeholders(script: str) -> set[str]:
    """The keys of all `${KEY}` in the script."""
    return set(_PLACEHOLDER.findall(script))


def place_in(script: str, offset: int) -> Place:
    """The place of a character."""
    return Place(script.count("\n", 0, offset) + 1, offset - script.rfind("\n", 0, offset), offset)


def fill_placeholders(script: str, values: Mapping[str, str] | Settings) -> str:
    """The script with every `${KEY}` replaced; see `filled`."""
    return filled(script, Settings.of(values)).text


def filled(script: str, given: Settings) -> Filled:
    """The script with its placeholders filled.

    Raises SqlError, or SqlErrors, for a placeholder without a value, for a value that is not safe at its place, and for
    a script that is too large.
    """
    values, problems = dict(given.values), Problems()
    check_script(script, values)
    matches = list(_PLACEHOLDER.finditer(script))
    for match in matches:
        if problems.are_enough:
            break
        if match.group(1) not in values:
            name = match.group(1)
            whence = "a task takes it from Airflow; here " if ":" in name else ""
            missing = f"the placeholder {match.group()} has no value: {whence}give one with --set {name}=…"
            problems.errors.append(SqlError(missing, place_in(script, match.start())))
    problems.raise_any(script)
    # This is checked before the text is made, because a value may be inserted at many places.
    check_size(len(script) + sum(len(values[match.group(1)]) - len(match.group()) for match in matches), values)
    unsafe = frozenset(given.unsafe)
    # Values that may be any SQL are part of the text around the other placeholders.
    template = _replaced(script, matches, [values[m.group(1)] if m.group(1) in unsafe else m.group() for m in matches])
    parts = list(quoted_parts(template.text))
    texts: list[str] = []
    for hole, kind in zip(template.holes, _kinds(template.holes, parts)):
        if problems.are_enough:
            break
        texts.append(hole.text if hole.name in unsafe or kind == "comment" else _escaped(values[hole.name], kind))
        bad = _UNSAFE.search(texts[-1]) if hole.name not in unsafe and kind not in ("comment", *_QUOTES) else None
        if bad is not None:
            problems.errors.append(_refused(script, hole, f"has {_CALLED.get(bad.group(), 'a line break')}"))
    problems.raise_any(script)
    done = _replaced(script, matches, texts)
    changing = _changes_quoting(template, parts, done)
    if changing is not None:
        raise _refused(script, changing, "makes a quote or a comment of the text around it")
    return done


def _replaced(script: str, matches: Sequence[re.Match[str]], texts: Sequence[str]) -> Filled:
    pieces, holes, end, length = [], [], 0, 0
    for match, text in zip(matches, texts):
        pieces += [script[end : match.start()], text]
        length += match.start() - end + len(text)
        end = match.end()
        holes.append(_Hole(match.group(1), match.start(), end, text, length))
    return Filled(script, "".join([*pieces, script[end:]]), tuple(holes))


def _kinds(holes: Sequence[_Hole], parts: Sequence[Quoted]) -> Iterator[str]:
    """For each placeholder the kind of the innermost part that contains it, empty if none does."""
    number, open_parts = 0, [Quoted("", 0, 0)]
    for hole in holes:
        start = hole.end_in_text - len(hole.text)
        while number < len(parts) and parts[number].start <= start:
            open_parts.append(parts[number])
            number += 1
        while len(open_parts) > 1 and open_parts[-1].end <= start:
            open_parts.pop()
        yield open_parts[-1].kind


def _escaped(value: str, kind: str) -> str:
    quote = _QUOTES.get(kind)
    return value if quote is None else value.replace(quote, quote * 2)


def _changes_quoting(template: Filled, parts: Sequence[Quoted], done: Filled) -> _Hole | None:
    """The placeholder whose value changes the quoted parts of the text, None if no value does."""
    expected = [(part.kind, done_at, done_end) for part, done_at, done_end in _moved(template, parts, done)]
    actual = [(part.kind, part.start, part.end) for part in quoted_parts(done.text)]
    if actual == expected:
        return None
    pairs = zip([*expected, None], [*actual, None])
    first, other = next((one, two) for one, two in pairs if one != two)
    at = min(part[1] for part in (first, other) if part is not None)
    return next((hole for hole in done.holes if hole.end_in_text >= at), done.holes[-1])


def _moved(template: Filled, parts: Sequence[Quoted], done: Filled) -> Iterator[tuple[Quoted, int, int]]:
    """The quoted parts of the template, with their start and end in the filled text."""
    ends = [hole.end_in_text for hole in template.holes]

    def moved(offset: int) -> int:
        number = bisect_right(ends, offset)
        return offset + (done.holes[number - 1].end_in_text - ends[number - 1] if number else 0)

    return ((part, moved(part.start), moved(part.end)) for part in parts)


def _refused(script: str, hole: _Hole, why: str) -> SqlError:
    return SqlError(
        f"the value of ${{{hole.name}}} {why}: it must be one piece of text. Put the placeholder in quotes, where any "
        f"value is safe, or allow it to be any SQL (unsafe_settings=[{hole.name!r}], --unsafe-set {hole.name}=…)",
        place_in(script, hole.at),
    )
