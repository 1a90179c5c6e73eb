"""Homes in archives: each with its report, its inputs and its results, wherever it is unpacked.

`data/NAME.tar.gz`:

    report.sql or report.py, settings.json     what was run
    home/                                      the home
    expected.json                              by insert, the rows in the end, as an uninterrupted stream publishes them
    …                                          directories of sources and sinks

`/kept-home` stands for the directory in which all that was. Sources were modified at whole seconds, which tar keeps:
the log has their modification times.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from pathlib import Path

from tests.homes.moved_files import move_files

DATA = Path(__file__).parent / "data"
PLACE = b"/kept-home"
_BINARY = (".parquet", ".crc")


def names() -> list[str]:
    return sorted(file.name.removesuffix(".tar.gz") for file in DATA.glob("*.tar.gz"))


def pack(place: Path, name: str) -> Path:
    """Partials keep the path where they were, in the record of a late row, which is not read again."""
    packed, own = io.BytesIO(), str(place).encode()
    move_files(place / "home", own, PLACE)
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(place.rglob("*")):
            if path.suffix == ".crc":
                continue
            member = archive.gettarinfo(path, str(path.relative_to(place)))
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime = int(member.mtime)
            content = path.read_bytes() if path.is_file() else b""
            if path.suffix not in _BINARY:
                content = content.replace(own, PLACE)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    file = DATA / f"{name}.tar.gz"
    file.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return file


def unpack(name: str, place: Path) -> Path:
    """Gives the place, where the home is as it was left."""
    with tarfile.open(DATA / f"{name}.tar.gz") as archive:
        archive.extractall(place, filter="data")
    for path in place.rglob("*"):
        if path.is_file() and path.suffix not in _BINARY and PLACE in (content := path.read_bytes()):
            modified = path.stat().st_mtime_ns
            path.write_bytes(content.replace(PLACE, str(place).encode()))
            os.utime(path, ns=(modified, modified))
    move_files(place / "home", PLACE, str(place).encode())
    return place
