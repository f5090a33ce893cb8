"""Text files of motion as numbered lines, with errors that name the file and the line."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError

LARGEST_FILE = 2**30  # bytes
MOST_POSES = 20_000_000  # frames times joints: what fits into memory, an hour of a figure with fingers
LARGEST_NUMBER = 1e12  # no angle or place of a motion is larger; sums and products of such stay finite


@dataclass(frozen=True)
class TextFile:
    """The lines of a file; line numbers count from 1."""

    path: Path
    lines: Sequence[str]

    def fault(self, line: int, message: str) -> PoiseError:
        """The error for something wrong in a line."""
        return PoiseError(f"{self.path}, line {line}: {message}")

    def number(self, word: str, line: int) -> float:
        """A finite number."""
        try:
            value = float(word)
        except ValueError:
            raise self.fault(line, f"{quoted(word)} is not a number") from None
        if not abs(value) < LARGEST_NUMBER:
            raise self.fault(line, f"{quoted(word)} is not a number that a motion can have")
        return value

    def check_size(self, line: int, frames: int, joints: int) -> None:
        """Refuse what a small file can announce but no memory can hold."""
        if frames * joints > MOST_POSES:
            raise self.fault(line, f"{frames} frames of {joints} joints are more than fit into memory")

    def table(self, rows: Iterable[tuple[int, list[str]]], width: int) -> Array:
        """Line numbers with `width` words each, as numbers (rows, width)."""
        values, lines = array("d"), array("q")
        for line, words in rows:
            lines.append(line)
            try:
                values.extend(map(float, words))
            except ValueError:
                values.extend(self.number(word, line) for word in words)  # raises, and names the word
        table = np.array(values).reshape(len(lines), width)
        wrong = ~(np.abs(table) < LARGEST_NUMBER).all(axis=1)  # true for nan, too
        if wrong.any():
            row = int(np.argmax(wrong))
            raise self.fault(lines[row], f"{np.abs(table[row]).max()} is not a number that a motion can have")
        return table


def read_text_file(path: Path | str) -> TextFile:
    """A text file, whatever its line ends and whether it is UTF-8 or of an older kind."""
    path = Path(path)
    try:
        with open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise PoiseError(f"cannot read {path}: {error.strerror or error}") from None
    if len(content) > LARGEST_FILE:
        raise PoiseError(f"{path} is larger than {LARGEST_FILE >> 20} MB")
    if b"\0" in content:
        raise PoiseError(f"{path}, line {1 + content[: content.index(0)].count(10)}: this is not text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return TextFile(path, text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def quoted(text: str) -> str:
    """Some of a file's text for an error message, with nothing in it that a terminal would not show."""
    return ascii(text if len(text) <= 40 else text[:37] + "...")
