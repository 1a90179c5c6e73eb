"""The description of a plan as lines of text."""

from __future__ import annotations

import textwrap
from typing import Any

_WORDS = ("reads", "columns", "keys", "rows of", "partition")
"""Lists of names, which share a line."""
_WIDTH = 96
_TITLE = ("step", "does", "of", "operators", "called")
"""The entries of a step that its first line has."""
_OF_RANK = ("partition_by", "order_by", "as", "limit")
"""The entries of a step that its rank repeats."""


def plan_lines(description: dict[str, Any]) -> list[str]:
    """The lines of what `describe` gives."""
    lines = [f"report {description['report']}"]
    for group in ("sources", "dimensions", "operators", "inserts"):
        for item in description[group]:
            lines.append(f"\n{group[:-1]} {item['name']}")
            for key, value in item.items():
                if key == "steps":
                    lines += [line for step in value for line in _step(step)]
                elif key != "name" and value not in (None, [], {}):
                    lines += entry_lines(key.replace("_", " "), value)
    if description["without_effect"]:
        lines.append("\nwithout effect here")
        lines += [f"  {what}: {why}" for what, why in description["without_effect"].items()]
    return lines


def _step(step: dict[str, Any]) -> list[str]:
    """One step of a query: what it does, with which input, and its clauses below."""
    called = f", called {step['called']}" if "called" in step else ""
    kept = f", in {', '.join(step['operators'])}" if "operators" in step else ""
    hidden = (*_TITLE, *(_OF_RANK if "rank" in step else ()))
    lines = [f"  step {step['step']:<13} {step['does']} of {' and '.join(step['of'])}{called}{kept}"]
    for key, value in step.items():
        if key not in hidden:
            first, *others = _wrapped(value if isinstance(value, list) else [str(value)], f"{key.replace('_', ' ')}: ")
            lines += [f"  {'':18}   {first}", *(f"  {'':18}     {other}" for other in others)]
    return lines


def _wrapped(words: list[str], title: str = "") -> list[str]:
    """Words on as many lines as they need. Words are not cut unless they are longer than half a line."""
    whole = [word if len(word) > _WIDTH // 2 else word.replace(" ", "\0") for word in words]
    lines = textwrap.wrap(title + ", ".join(whole), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def entry_lines(key: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        return [
            f"  {key}",
            *(f"  {line}" for name, inner in value.items() for line in entry_lines(name.replace("_", " "), inner)),
        ]
    if isinstance(value, list) and key in _WORDS:
        value = _wrapped(value)
    if isinstance(value, list):
        shown = value if len(value) <= 30 else [*value[:12], f"… {len(value) - 24} more …", *value[-12:]]
        return [f"  {key:18} {shown[0]}", *(f"  {'':18} {one}" for one in shown[1:])]
    return [f"  {key:18} {value}"]
