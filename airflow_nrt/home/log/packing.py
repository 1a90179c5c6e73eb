r"""Lines of entries in few bytes: random numbers are taken out of them as bytes, so that what is left repeats itself.

    {"n":7,"id":"bfee7fa40abc4111",…,"crc":910480339}     a line
    {"n":7,"id":"\x01",…,"crc":\x01}                      its text; the kinds SHORT, CRC; the bytes \xbf\xee\x7f…

    \x00, the lengths of the text and of the kinds, \n, the text, the kinds, the bytes

The names of files that Spark writes, ids and checksums are 80 of 135 bytes that such a line has when it is compressed
with others, and each of them interrupts what repeats. JSON has no control characters, so lines that have some are left
as they are. So are the lines of volumes of earlier versions.
"""

from __future__ import annotations

import re

_FOUND = re.compile(
    rb'([-"])(?:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|([0-9a-f]{32})|([0-9a-f]{16})(?="))'
    rb'|("crc":)(0|[1-9]\d{0,9})(?!\d)'
)
"""A prefix that stays, and what is taken."""
_PUT, _MARK = b"\x01", b"\x00"
_UUID, _HEX, _SHORT, _CRC, _UUID_AGAIN, _HEX_AGAIN = b"uhscUH"
_MOST_CRC = 2**32
"""A number with as many digits may be larger, and is no CRC-32."""


def packed(lines: bytes) -> bytes:
    """The lines as they are to be compressed."""
    if _PUT in lines or _MARK in lines:
        return lines
    kinds, numbers, last = bytearray(), bytearray(), b""

    def taken(found: re.Match[bytes]) -> bytes:
        nonlocal last
        before, uuid, digits, short, key, crc = found.groups()
        if crc is not None:
            if int(crc) >= _MOST_CRC:
                return found[0]
            kinds.append(_CRC)
            numbers.extend(int(crc).to_bytes(4, "big"))
            return bytes(key) + _PUT
        value = bytes.fromhex((uuid or digits or short).replace(b"-", b"").decode())
        if short is not None:
            kinds.append(_SHORT)
        elif value == last:
            kinds.append(_HEX_AGAIN if uuid is None else _UUID_AGAIN)
            return bytes(before) + _PUT
        else:
            kinds.append(_HEX if uuid is None else _UUID)
            last = value
        numbers.extend(value)
        return bytes(before) + _PUT

    text = _FOUND.sub(taken, lines)
    return b"".join((_MARK, b"%d %d\n" % (len(text), len(kinds)), text, kinds, numbers))


def unpacked(content: bytes) -> bytes:
    """The lines as they were. Raises ValueError if they are not whole."""
    if not content.startswith(_MARK):
        return content
    begin = content.index(b"\n") + 1
    of_text, of_kinds = map(int, content[1:begin].split(b" "))
    end = begin + of_text
    parts = content[begin:end].split(_PUT)
    put = _written(content[end : end + of_kinds], content[end + of_kinds :])
    if len(parts) != len(put) + 1:
        raise ValueError(f"it has {len(put)} numbers for {len(parts) - 1} places")
    pieces = [b""] * (len(parts) + len(put))
    pieces[::2], pieces[1::2] = parts, put
    return b"".join(pieces)


def _written(kinds: bytes, numbers: bytes) -> list[bytes]:
    """The numbers as they were written. Raises ValueError if there are more or fewer."""
    digits, at, last, found = numbers.hex().encode(), 0, b"", list[bytes]()
    for kind in kinds:
        if kind == _CRC:
            found.append(b"%d" % int(digits[at : at + 8], 16))
            at += 8
        elif kind == _SHORT:
            found.append(digits[at : at + 16])
            at += 16
        else:
            if kind in (_UUID, _HEX):
                last = digits[at : at + 32]
                at += 32
            is_uuid = kind in (_UUID, _UUID_AGAIN)
            found.append(b"-".join((last[:8], last[8:12], last[12:16], last[16:20], last[20:])) if is_uuid else last)
    if at != len(digits):
        raise ValueError(f"it has {len(numbers)} bytes of numbers, and not {at // 2}")
    return found
