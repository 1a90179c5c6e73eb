"""The code that makes a dataclass of JSON, written out field by field: a loop over fields takes twice as long, and the
`__init__` of a frozen dataclass, which sets each field by a call, as long as all the rest.

It makes what is as it should be. For all else it asks the slow decoder, which knows what to say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field
from typing import Any

LONG = 2**63
_IS_PLAIN: Mapping[Any, str] = {
    str: "type({v}) is str and {v}.isascii()",
    int: "type({v}) is int and -LONG <= {v} < LONG",
    bool: "type({v}) is bool",
}
"""By type, what says of a value that it stays as it is."""


def compiled(
    kind: type,
    stored: Mapping[str, Field[Any]],
    plain: Mapping[str, tuple[Any, bool]],
    decoders: Mapping[str, Callable[[Any], Any]],
    slow: Callable[[Any], Any],
) -> Callable[[Any], Any]:
    """The decoder of a dataclass. By their names in files, `stored` are its fields, `plain` the types of those that are
    texts, whole numbers or truth values, and whether they may be None.

    Of a field `size: int`, and another one, `corrupt: bool = False`, it makes

        def decode(content):
            if type(content) is not dict: return slow(content)
            try:
                absent = 0
                v0 = content['size']
                if not (type(v0) is int and -LONG <= v0 < LONG): v0 = decode_0(v0)
                if 'corrupt' in content:
                    v1 = content['corrupt']
                    if not (type(v1) is bool): v1 = decode_1(v1)
                else: v1, absent = default_1, absent + 1
                if len(content) + absent != 2: return slow(content)
            except (KeyError, TypeError): return slow(content)
            one = new(kind)
            set_fields(one, '__dict__', {'size': v0, 'corrupt': v1})
            return one
    """
    names: dict[str, Any] = {"LONG": LONG, "slow": slow, "kind": kind, "new": object.__new__}
    names["set_fields"] = object.__setattr__
    body = ["absent = 0"]
    for n, (name, one) in enumerate(stored.items()):
        names[f"decode_{n}"] = decoders[name]
        reading = [f"v{n} = content[{name!r}]", _checked(n, plain.get(name))]
        default = _default(n, one, names)
        if default is not None:
            reading = [f"if {name!r} in content:", *_indented(reading), f"else: v{n}, absent = {default}, absent + 1"]
        body += reading
    body.append(f"if len(content) + absent != {len(stored)}: return slow(content)")
    made = ", ".join(f"{one.name!r}: v{n}" for n, one in enumerate(stored.values()))
    lines = [
        "if type(content) is not dict: return slow(content)",
        "try:",
        *_indented(body),
        "except (KeyError, TypeError): return slow(content)",
    ]
    lines += ["one = new(kind)", f"set_fields(one, '__dict__', {{{made}}})"]
    lines += ["one.__post_init__()"] if hasattr(kind, "__post_init__") else []
    exec("\n".join(["def decode(content):", *_indented([*lines, "return one"])]), names)
    found: Callable[[Any], Any] = names["decode"]
    return found


def _checked(n: int, plain: tuple[Any, bool] | None) -> str:
    if plain is None:
        return f"v{n} = decode_{n}(v{n})"
    kind, may_be_none = plain
    known = _IS_PLAIN[kind].format(v=f"v{n}")
    return f"if not ({f'v{n} is None or ' if may_be_none else ''}{known}): v{n} = decode_{n}(v{n})"


def _default(n: int, one: Field[Any], names: dict[str, Any]) -> str | None:
    """The code of its default, None if it has none."""
    if one.default is not MISSING:
        names[f"default_{n}"] = one.default
        return f"default_{n}"
    if one.default_factory is not MISSING:
        names[f"default_{n}"] = one.default_factory
        return f"default_{n}()"
    return None


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def is_plain(kind: Any) -> bool:
    """Whether values of this type stay as they are."""
    return kind in _IS_PLAIN
