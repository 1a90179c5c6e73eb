"""`python -m tests.mutants [NAME…]`: plants faults, one at a time, in a copy of the tree, and says which are found."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.mutants.fault import AREAS, Fault, all_faults
from tests.mutants.record import record, recorded
from tests.mutants.scratch import Scratch, scratch
from tests.mutants.selection import NotHereError, selection_of
from tests.mutants.trial import NotTriedError, Trial, run_in, tried


def main(arguments: Sequence[str]) -> int:
    """The exit status: 0 if all faults are found, 1 if one is not, 2 if one could not be tried."""
    given = _parser().parse_args(arguments)
    # So that the copy is removed, and what runs in it ends.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        faults = _chosen(given.names, given.areas)
        with scratch() as made:
            return _without_faults(made, faults, given) if given.clean else _with_each(made, faults, given)
    except (NotHereError, NotTriedError, ValueError) as wrong:
        print(f"mutants: {wrong}", file=sys.stderr)
        return 2


def _with_each(made: Scratch, faults: Sequence[Fault], given: argparse.Namespace) -> int:
    known = recorded(given.record) if given.record and not given.again else {}
    found = 0
    for fault in faults:
        trial = known.get((fault.name, given.looked)) or _trial(made, fault, given)
        found += trial.is_found
        print(trial, flush=True)
    print(f"{found} of {len(faults)} found")
    return 0 if found == len(faults) else 1


def _trial(made: Scratch, fault: Fault, given: argparse.Namespace) -> Trial:
    try:
        trial = tried(made, fault, given.looked, selection_of(given.looked)([fault]), given.first)
    except NotTriedError as wrong:
        raise NotTriedError(f"{fault.name}: {wrong}") from None
    if given.record:
        record(given.record, trial)
    return trial


def _without_faults(made: Scratch, faults: Sequence[Fault], given: argparse.Namespace) -> int:
    """A test that fails here says nothing about a fault."""
    found = run_in(made, selection_of(given.looked)(faults), given.first)
    print("\n".join((*found.failed, f"{len(found.failed)} of {found.run} tests fail without a fault")))
    return 1 if found.failed else 0


def _chosen(names: Sequence[str], areas: Sequence[str]) -> list[Fault]:
    """Raises ValueError for a name that no fault has."""
    faults = all_faults()
    unknown = sorted({*names} - {one.name for one in faults})
    if unknown:
        raise ValueError(f"there is no fault {unknown[0]!r}: faults/*.toml has their names")
    return [one for one in faults if (not names or one.name in names) and (not areas or one.area in areas)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="faults (default: all)")
    parser.add_argument("--area", dest="areas", action="append", default=[], choices=AREAS, help="faults of this area")
    parser.add_argument(
        "--with", dest="looked", default="expected", metavar="expected|unit|changed|ARGUMENTS",
        help="the tests that look for a fault: those that the list names, those of `make test-unit`, those of "
        "`make test-changed` for its file, or arguments of pytest",
    )  # fmt: skip
    parser.add_argument("--first", action="store_true", help="end with the first test that fails")
    parser.add_argument("--clean", action="store_true", help="run these tests once without any fault")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write results there, and skip what is there")
    parser.add_argument("--again", action="store_true", help="try what is in the record once more")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
