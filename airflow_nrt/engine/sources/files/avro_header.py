"""The schema in the header of an object container file of Avro, as its specification has it."""

from __future__ import annotations

from typing import BinaryIO

_MAGIC = b"Obj\x01"
_SCHEMA = b"avro.schema"
_MOST = 16 << 20
"""Bytes of a schema. Others are no schema."""


def writer_schema(path: str) -> str:
    """Raises OSError, and ValueError if the file is no such file."""
    with open(path, "rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("it is no object container file of Avro")
        while (count := _number(file)) != 0:
            if count < 0:
                # The size of the block in bytes follows.
                _number(file)
            for _ in range(abs(count)):
                key, value = _bytes(file), _bytes(file)
                if key == _SCHEMA:
                    return value.decode()
    raise ValueError("its header has no schema")


def _number(file: BinaryIO) -> int:
    """A whole number: seven bits a byte, the least first, and the sign as the last bit."""
    value, shift = 0, 0
    while True:
        byte = file.read(1)
        if not byte or shift > 63:
            raise ValueError("its header ends too early")
        value |= (byte[0] & 0x7F) << shift
        if byte[0] < 0x80:
            return (value >> 1) ^ -(value & 1)
        shift += 7


def _bytes(file: BinaryIO) -> bytes:
    size = _number(file)
    if not 0 <= size <= _MOST:
        raise ValueError("its header is too long")
    return file.read(size)
