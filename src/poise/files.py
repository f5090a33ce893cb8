"""Writing files whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
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


def check_targets(targets: Iterable[Path], source: Path) -> None:
    """Refuse to write over what is being read, or where a folder is in the way, before any work is done."""
    for target in targets:
        if os.path.isdir(target):  # a name that is too long is no folder; Path.is_dir would raise
            raise PoiseError(f"cannot write {target}: a folder is in the way")
        if os.path.exists(target) and os.path.exists(source) and target.samefile(source):
            raise PoiseError(f"{target} would be written over {source} itself: choose another place")


def check_writable(folder: Path) -> None:
    """Refuse a folder that cannot be written to before any work is done."""
    try:
        existing = folder
        while not existing.exists():
            existing = existing.parent
        longest = os.pathconf(existing, "PC_NAME_MAX")
        if any(len(os.fsencode(part)) > longest for part in folder.parts):
            raise OSError(36, "the name is too long")
        if not existing.is_dir():
            raise NotADirectoryError(20, "a file is in the way")
        probe = existing / ".poise-probe"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise PoiseError(f"cannot write to {folder}: {error.strerror}") from None
