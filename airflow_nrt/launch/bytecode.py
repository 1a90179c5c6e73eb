"""The bytecode of a module, for a zip in which its source lies beside it.

Python imports modules of a zip without keeping what it compiles, so each driver would compile the engine again: more
than a second of processor time. A driver whose Python is another passes this bytecode over, and compiles the source.
"""

from __future__ import annotations

import importlib.util
import marshal
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

_UNCHECKED = (1).to_bytes(4, "little")
"""PEP 552: valid by its source's hash, which nobody checks. A time would differ from host to host."""
_WITHOUT_REFERENCES = 2
"""Later versions of the format write what else the process refers to, so that equal code has unequal bytes."""


def bytecode(file: Path, shown: str) -> bytes:
    """What Python would write into a .pyc file. Tracebacks give `shown` as the path; their lines come from the zip.

    Equal sources and paths give equal bytes, of one version of Python. Raises SyntaxError and OSError.
    """
    code = SourceFileLoader(file.stem, str(file)).get_code(file.stem)
    assert code is not None
    head = importlib.util.MAGIC_NUMBER + _UNCHECKED + importlib.util.source_hash(file.read_bytes())
    return head + marshal.dumps(_at(code, shown), _WITHOUT_REFERENCES)


def _at(code: CodeType, path: str) -> CodeType:
    inner = tuple(_at(one, path) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_filename=path, co_consts=inner)
