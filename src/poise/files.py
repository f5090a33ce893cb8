"""Writing files whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from poise.errors import PoiseError


def write_file(path: Path, content: bytes) -> Path:
    """Write a file in one piece: whoever looks sees the old one or the new one, never half of it."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        try:
            part.unlink(missing_ok=True)
        except OSError:
            pass
        raise PoiseError(f"cannot write {path}: {error.strerror}") from None
    return path
