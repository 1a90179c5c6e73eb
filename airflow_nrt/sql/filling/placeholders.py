"""Values of settings in place of `${KEY}`, also of `${conn:NAME.field}` and `${var:NAME}`.

A value can't change the syntax around its placeholder.

In a literal and in a quoted name its quotes are escaped. Elsewhere it may contain nothing that ends a literal, a
statement or a line. Comments are unchanged. What a value may be in an option is a matter of the option's shape, and of
who has chosen it (`model/shapes/`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from airflow_nrt.model.options.settings import Settings
from airflow_nrt.model.shapes.shape import NAME, TEXT, WORD, Given, MisfitError, Piece, Shape, values
from airflow_nrt.sql.errors import Place, Problems, SqlError, SqlErrors
from airflow_nrt.sql.filling.shaped_texts import ShapedText, shaped_texts
from airflow_nrt.sql.parse.limits import check_script, check_size
from airflow_nrt.sql.parse.words.lexer import Quoted, quoted_parts

_PLACEHOLDER = re.compile(r"\$\{(\w+|(?:conn|var):[\w.-]+)\}")
_UNSAFE = re.compile(r"['`\";]|--|/\*|\*/|[\n\r\v\f\x00\x1c-\x1e\x85\u2028\u2029]")
_CALLED = {"'": "a quote", "`": "a quote", '"': "a quote", ";": "a semicolon", "--": "a comment", "/*": "a comment"}
_QUOTES = {"string": "'", "quoted": "`"}
_SHAPES = {"string": (TEXT, "a text"), "quoted": (NAME, "a name")}
"""Where no option is."""
_MOST_IN_OPTION = 100
"""Placeholders. Each takes a look at what stands before it."""


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
    kinds = list(_kinds(template.holes, parts))
    texts = [hole.text for hole in template.holes]
    safe = [n for n, hole in enumerate(template.holes) if hole.name not in unsafe and kinds[n] != "comment"]
    for group in _groups(template, kinds, safe):
        if problems.are_enough:
            break
        try:
            found = group.shape.texts(_pieces(template, group, given))
        except MisfitError as wrong:
            at = next(n for n in group.holes if template.holes[n].name == wrong.given.name)
            problems.errors.append(_misfit(script, template.holes[at], group, str(wrong)))
            continue
        for n, text in zip(group.holes, found):
            hole, texts[n] = template.holes[n], _escaped(text, kinds[n])
            bad = _UNSAFE.search(texts[n]) if kinds[n] not in _QUOTES else None
            if bad is not None:
                problems.errors.append(_refused(script, hole, f"has {_CALLED.get(bad.group(), 'a line break')}"))
    problems.raise_any(script)
    done = _replaced(script, matches, texts)
    changing = _changes_quoting(template, parts, done)
    if changing is not None:
        raise _refused(script, changing, "makes a quote or a comment of the text around it")
    return done


@dataclass(frozen=True)
class _Group:
    """The `holes`, by their numbers, that are in one text, from `start` to `end` in the script."""

    holes: Sequence[int]
    start: int
    end: int
    shape: Shape
    called: str


def _groups(template: Filled, kinds: Sequence[str], safe: Sequence[int]) -> Iterator[_Group]:
    """The texts with these holes, in their order."""
    known = iter(shaped_texts(_blank(template, safe)) if safe else ())
    text: ShapedText | None = next(known, None)
    inside: list[int] = []
    for n in safe:
        hole = template.holes[n]
        start = hole.end_in_text - len(hole.text)
        while text is not None and text.end <= start:
            if inside:
                yield _Group(tuple(inside), text.start, text.end, text.shape, text.called)
            text, inside = next(known, None), []
        if text is not None and text.start <= start:
            inside.append(n)
        else:
            shape, called = _SHAPES.get(kinds[n], (WORD, "SQL outside of quotes"))
            yield _Group((n,), start, hole.end_in_text, shape, called)
    if inside and text is not None:
        yield _Group(tuple(inside), text.start, text.end, text.shape, text.called)


def _blank(template: Filled, safe: Sequence[int]) -> str:
    """The text with words of the same length in place of these holes, because `${` is no token."""
    pieces, end = [], 0
    for hole in (template.holes[n] for n in safe):
        pieces += [template.text[end : hole.end_in_text - len(hole.text)], "_" * len(hole.text)]
        end = hole.end_in_text
    return "".join([*pieces, template.text[end:]])


def _pieces(template: Filled, group: _Group, given: Settings) -> list[Piece]:
    """What stands in a text, without the quotes around it. Raises MisfitError for too many placeholders in one."""
    known, of_run = dict(given.values), frozenset(given.of_run)
    start, end = group.start, group.end
    is_literal = template.text[start] == "'" == template.text[end - 1]
    at = start + is_literal
    pieces: list[Piece] = []
    for hole in (template.holes[n] for n in group.holes):
        pieces.append(template.text[at : hole.end_in_text - len(hole.text)])
        pieces.append(Given(hole.name, known[hole.name], hole.name in of_run))
        at = hole.end_in_text
    pieces.append(template.text[at : end - is_literal])
    if len(group.holes) > _MOST_IN_OPTION:
        raise MisfitError(values(pieces)[0], f"is one of more than {_MOST_IN_OPTION} in it")
    return [one.replace("''", "'") if is_literal and isinstance(one, str) else one for one in pieces if one != ""]


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


def _misfit(script: str, hole: _Hole, group: _Group, why: str) -> SqlError:
    return SqlError(
        f"{group.called}: the value of ${{{hole.name}}} {why}. If whoever gives it may write any SQL here: "
        f"unsafe_settings=[{hole.name!r}], --unsafe-set {hole.name}=…",
        place_in(script, hole.at),
    )
