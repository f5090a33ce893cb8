"""Atomic writing of files, and checks that a target can be written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from poise.errors import PoiseError


def write_file(path: Path, content: bytes) -> Path:
    """Write a file atomically and return its path: a reader sees the old content or all of the new content."""
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


def check_write_targets(targets: Iterable[Path], source: Path) -> None:
    """Raise if a target is a folder or the `source` file itself. Called before long work."""
    for target in targets:
        if os.path.isdir(target):  # Path.is_dir raises if the name is too long
            raise PoiseError(f"cannot write {target}: a folder is in the way")
        if os.path.exists(target) and os.path.exists(source) and target.samefile(source):
            raise PoiseError(f"{target} would be written over {source} itself: choose another place")


def check_folder_writable(folder: Path) -> None:
    """Raise if a folder cannot be written to or created; writes and deletes a probe file. Called before long work."""
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
