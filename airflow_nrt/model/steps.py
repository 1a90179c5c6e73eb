"""What a query does, step by step and in the report's own words. It is for people and programs, not for execution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Fact = tuple[str, "str | int | tuple[str, ...]"]


@dataclass(frozen=True)
class Step:
    """`does` names its kind. `of` are the tables that it reads, or earlier steps by their numbers, from 1.

    `facts` are its clauses, by stable names. `operators` are those of the plan that keep its state. `called` is the
    name that the query gives its result.
    """

    does: str
    of: tuple[str | int, ...]
    facts: tuple[Fact, ...] = ()
    operators: tuple[str, ...] = ()
    called: str | None = None

    def fact(self, name: str) -> Any:
        return dict(self.facts).get(name)


def as_json(steps: tuple[Step, ...]) -> list[dict[str, Any]]:
    """The steps as JSON."""
    return [
        {
            "step": n,
            "does": step.does,
            "of": [_named(one, steps) for one in step.of],
            **{name: list(value) if isinstance(value, tuple) else value for name, value in step.facts},
            **({"operators": list(step.operators)} if step.operators else {}),
            **({"called": step.called} if step.called else {}),
        }
        for n, step in enumerate(steps, 1)
    ]


def _named(one: str | int, steps: tuple[Step, ...]) -> str:
    if isinstance(one, str):
        return one
    called = steps[one - 1].called
    return f"step {one} ({called})" if called else f"step {one}"
