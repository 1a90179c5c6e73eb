"""Random histories of a stream."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.engine.driver.agree.kind import SHOPS
from tests.engine.driver.agree.streams import Arrived, Live

Event = Callable[[Live], None]


def history(
    chance: random.Random, sources: Sequence[str], batches: int, shops: Sequence[int | None] = SHOPS
) -> list[Event]:
    """Rows of half an hour from each source in turn, a third of them late. Somewhere between two batches two drivers
    die, a source is idle, shops get other names, and the sink is away, at the latest until the end."""
    between: dict[int, list[Event]] = {number: [] for number in range(batches)}
    for event in (_restart, _restart, _idle(chance.choice(sources)), _named(chance), _away, _back):
        between[chance.randrange(batches)].append(event)
    events: list[Event] = [_named(chance)]
    minute, latest = dict.fromkeys(sources, 0.0), dict.fromkeys(sources, 0.0)
    turns = chance.sample(sources, len(sources))
    for number in range(batches):
        source = turns[number % len(turns)]
        rows = _arriving(chance, minute[source], latest[source], shops)
        latest[source] = max([latest[source], *(at for _, _, at in rows)])
        events += [_wait(chance.randint(1, 90_000)), _pass_time, _rows(source, rows), *between[number]]
        minute[source] += chance.choice((0, 4, 9, 14))
    return [*events, *map(_end, sources), _back]


def _arriving(chance: random.Random, minute: float, latest: float, shops: Sequence[int | None]) -> list[Arrived]:
    """Rows of ten minutes, also of times before, and of the `latest` one so far."""

    def at() -> float:
        late = chance.random()
        return latest if late < 0.1 else minute + chance.randrange(20) / 2 - (chance.randrange(20) if late < 0.4 else 0)

    return [(chance.choice(shops), chance.randint(1, 3), at()) for _ in range(chance.randint(8, 16))]


def _restart(stream: Live) -> None:
    stream.restart()


def _rows(source: str, rows: Sequence[Arrived]) -> Event:
    return lambda stream: stream.rows(source, rows)


def _idle(source: str) -> Event:
    return lambda stream: stream.idle(source)


def _end(source: str) -> Event:
    return lambda stream: stream.end(source)


def _named(chance: random.Random) -> Event:
    names = {shop: chance.choice("abc") for shop in chance.sample((1, 2, 3), 2)}
    return lambda stream: stream.name_shops(names)


def _wait(ms: int) -> Event:
    def event(stream: Live) -> None:
        stream.now += ms

    return event


def _pass_time(stream: Live) -> None:
    stream.pass_time()


def _away(stream: Live) -> None:
    stream.away.names = {one.name for one in stream.plan.inserts}


def _back(stream: Live) -> None:
    stream.away.names = set()
    stream.away.now += 60
    stream.pay()
