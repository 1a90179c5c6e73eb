"""Packed lines are unpacked as they were, whatever they say, and packed ones have fewer bytes."""

from __future__ import annotations

import json
import lzma
import random
import uuid
from collections.abc import Callable

import pytest

from airflow_nrt.home.log.packing import packed, unpacked


def digits(chance: random.Random, count: int) -> str:
    return "".join(chance.choice("0123456789abcdef") for _ in range(count))


VALUES: list[Callable[[random.Random], object]] = [
    lambda chance: digits(chance, chance.choice((8, 15, 16, 17, 31, 32, 33, 40, 64))),
    lambda chance: digits(chance, 32).upper(),
    lambda chance: str(uuid.UUID(digits(chance, 32))),
    lambda chance: f"part-00000-{uuid.UUID(digits(chance, 32))}-c000.csv",
    lambda chance: f"prices-{digits(chance, 32)}.csv",
    lambda chance: "0" * chance.choice((16, 32)),
    lambda chance: chance.choice((0, 1, 2**32 - 1, 2**32, 9_999_999_999, chance.randrange(2**40))),
    lambda chance: "\u0001\n\u2028 ü" + digits(chance, 32),
]


def lines(seed: int) -> bytes:
    """Each kind of value under each name, also where an entry has another, and the same numbers again."""
    chance, found = random.Random(seed), []
    for n in range(200):
        again = uuid.UUID(digits(chance, 32))
        entry = {name: chance.choice(VALUES)(chance) for name in ("id", "crc", "checksum", "name")}
        both = [f"a-{again}-c", f"a-{again.hex}.csv", again.hex, str(again)]
        found.append(json.dumps({"n": n, **entry, "both": both}, separators=(",", ":"), ensure_ascii=False))
    return "".join(f"{line}\n" for line in found).encode()


@pytest.mark.parametrize("seed", range(20))
def test_lines_come_back(seed: int) -> None:
    given = lines(seed)
    assert packed(given).startswith(b"\x00") and unpacked(packed(given)) == given


@pytest.mark.parametrize("given", [b"", b"\n", b"{}\n", b'{"crc":007}\n', b'{"id":"\x01"}\n', b'"crc":5'])
def test_anything_comes_back(given: bytes) -> None:
    assert unpacked(packed(given)) == given


def test_what_is_random_is_held_once_as_bytes() -> None:
    chance = random.Random(1)
    names = [uuid.UUID(digits(chance, 32)) for _ in range(1000)]
    of_names = "".join(f'{{"staged":"part-{one}-c000","target":"prices-{one.hex}"}}\n' for one in names).encode()
    assert 16 < len(lzma.compress(packed(of_names))) / 1000 < 16.5 < len(lzma.compress(of_names)) / 1000 / 1.4


@pytest.mark.parametrize(
    "torn", [lambda content: content[:-1], lambda content: content + b"\x00", lambda content: b"\x00"]
)
def test_what_is_not_whole_is_an_error(torn: Callable[[bytes], bytes]) -> None:
    with pytest.raises(ValueError, match=r"it has|invalid literal|not found|not enough values|unpack"):
        unpacked(torn(packed(lines(1))))
