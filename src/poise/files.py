"""Bounded reading and atomic writing of files, and checks that a target can be written."""

import io
import math
import os
import zipfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from poise.errors import PoiseError

LARGEST_FILE, LARGEST_STREAM = 2**30, 2**24  # bytes; the second of pipes and devices, which do not tell their size
LARGEST_ARCHIVE, LARGEST_TEXT = 2**31, 2**26  # bytes, unpacked: of all arrays of an archive, of a text in it
LEAST_BOUND, MOST_COMPRESSED = 2**28, 50
"""An archive may unpack to `LEAST_BOUND` bytes, or to `MOST_COMPRESSED` times its size if that is more."""


def read_file(path: Path | str, most: int = LARGEST_FILE) -> bytes:
    """The content of a file of at most `most` bytes."""
    try:
        with open(path, "rb") as file:
            most = min(most, max(os.fstat(file.fileno()).st_size, LARGEST_STREAM))
            content = file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: the path contains a NUL
        raise PoiseError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > most:
        raise PoiseError(f"{path} is larger than {most >> 20} MB")
    return content


def read_arrays(path: Path | str, names: Collection[str], kind: str) -> dict[str, NDArray[Any]]:
    """Read the arrays in `names` from a NumPy archive, a `kind` of file; names that the archive lacks are left out.

    Memory is bounded by the size of the file. Sizes are checked before and while an array is read.
    """
    content = read_file(path, LARGEST_ARCHIVE)
    most = min(LARGEST_ARCHIVE, max(LEAST_BOUND, MOST_COMPRESSED * len(content)))
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            wanted = [info for info in archive.infolist() if info.filename.removesuffix(".npy") in names]
            large = sum(info.file_size for info in wanted) > most
            members = [] if large else [(i.filename.removesuffix(".npy"), _read_array(archive, i)) for i in wanted]
    except Exception:  # whatever zip, zlib and NumPy's own parsers raise on damaged files
        raise PoiseError(f"{path} is not {kind} (a NumPy .npz file without pickles), or it is damaged") from None
    if large:
        raise PoiseError(f"{path} unpacks to more than {most >> 20} MB")
    return dict(members)


def archive_names(path: Path | str) -> set[str]:
    """The names of the arrays in an archive; empty if the file is none or cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {name.removesuffix(".npy") for name in archive.namelist()}
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
        return set()


def write_arrays(path: Path | str, arrays: Mapping[str, Any]) -> Path:
    """Write arrays to a compressed NumPy archive, atomically; return its path."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return write_file(Path(path), buffer.getvalue())


def _read_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    """An array of an archive; raises if it announces more than the archive holds."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError("others unpack in pieces of unlimited size")
    with archive.open(info) as member:
        header = npy.read_array_header_1_0 if npy.read_magic(member) == (1, 0) else npy.read_array_header_2_0
        shape, _, kind = header(member)
    text = kind.kind in "SU"
    if math.prod(shape) * max(kind.itemsize, 1) > min(info.file_size, LARGEST_TEXT if text else LARGEST_ARCHIVE):
        raise ValueError("an array is larger than its member")
    with archive.open(info) as member:
        return np.asarray(npy.read_array(member, allow_pickle=False))


def write_file(path: Path, content: bytes) -> Path:
    """Write a file atomically and return its path: a reader sees the old content or all of the new content."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except (OSError, ValueError) as error:  # ValueError: the path contains a NUL
        try:
            part.unlink(missing_ok=True)
        except (OSError, ValueError):
            pass
        raise PoiseError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None
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
    except (OSError, ValueError) as error:
        raise PoiseError(f"cannot write to {folder}: {getattr(error, 'strerror', None) or error}") from None
