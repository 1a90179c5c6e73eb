"""The options of tables that are looked up by lookup joins: how often the stream looks, and what a backfill uses."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_nrt.basics.durations import parse_duration
from airflow_nrt.model.options.option import Option, Refusal, free, named, one_of, parse_boolean, positive, whole_number

CACHE, BACKFILL = "lookup.cache", "lookup.backfill"
NONE, PARTIAL, FULL = "none", "partial", "full"
REMEMBERED, NEWEST = "remembered", "newest"
_EXPIRES, _RELOADS = "lookup.partial-cache.expire-after-write", "lookup.full-cache.periodic-reload.interval"
_OLDER = "lookup.cache.ttl"
_INTERVALS = {PARTIAL: _EXPIRES, FULL: _RELOADS}
_WHOLE = "the whole table is looked up, as a version of it"
_AWAY = "a stream waits for a table that is away, and looks again"

LOOKUP_OPTIONS = (
    *free(
        Option(CACHE, one_of(NONE, PARTIAL, FULL), None, "a table that is looked up: NONE looks again for each batch"),
        Option(_EXPIRES, parse_duration, None, "with PARTIAL: how often the stream looks for a new version"),
        Option(_RELOADS, parse_duration, None, "with FULL: how often the stream looks for a new version"),
        Option(_OLDER, parse_duration, None, f"an older name of PARTIAL with '{_EXPIRES}'"),
        Option(
            BACKFILL,
            one_of(REMEMBERED, NEWEST),
            REMEMBERED,
            "the version that a backfill and a verification use: what the stream used, or the newest",
        ),
    ),
    Option("lookup.partial-cache.max-rows", positive, None, "of the cache", idle=_WHOLE),
    Option("lookup.partial-cache.expire-after-access", parse_duration, None, "of the cache", idle=_WHOLE),
    Option("lookup.partial-cache.cache-missing-key", parse_boolean, None, "of the cache", idle=_WHOLE),
    Option("lookup.cache.max-rows", whole_number, None, "of the cache", idle=_WHOLE),
    Option("lookup.cache.caching-missing-key", parse_boolean, None, "of the cache", idle=_WHOLE),
    Option("lookup.full-cache.reload-strategy", one_of("periodic"), None, "of the cache", idle="it is periodic"),
    Option(
        "lookup.full-cache.periodic-reload.schedule-mode",
        one_of("fixed_delay", "fixed_rate"),
        None,
        "of the cache",
        idle="a stream looks between batches",
    ),
    Option("lookup.max-retries", whole_number, None, "of the lookup", idle=_AWAY),
    Option("lookup.async", parse_boolean, None, "of the lookup", idle=_WHOLE),
    Option("lookup.full-cache.timed-reload.*", Refusal(f"write '{_RELOADS}'"), None, f"write '{_RELOADS}'"),
)
_KNOWN = named(LOOKUP_OPTIONS)


def looks_every(options: Mapping[str, str], default: int) -> int:
    """The interval (ms) at which a stream looks for a new version of a table; 0: before each batch."""
    if CACHE not in options:
        return int(_KNOWN[_OLDER].read(options[_OLDER])) if _OLDER in options else default
    mode = _KNOWN[CACHE].read(options[CACHE])
    interval = options.get(_INTERVALS.get(mode, ""))
    if interval is not None:
        return int(_KNOWN[_INTERVALS[mode]].read(interval))
    return 0 if mode == NONE else default


def uses_newest(options: Mapping[str, str]) -> bool:
    """Whether a backfill and a verification use the newest version, not those that the stream has used."""
    return options.get(BACKFILL, REMEMBERED).lower() == NEWEST
