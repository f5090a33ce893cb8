"""Motion files in text form as numbered lines; errors name the file and the line."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import PoiseError
from poise.files import read_file

MOST_POSES = 20_000_000  # frames times joints that fit into memory: about an hour of a figure with fingers
LARGEST_NUMBER = 1e12  # bound on every number of a motion, so that sums and products stay finite


@dataclass(frozen=True)
class TextFile:
    """The lines of a file; line numbers count from 1."""

    path: Path
    lines: Sequence[str]

    def fault(self, line: int, message: str) -> PoiseError:
        """The error for a fault in a line."""
        return PoiseError(f"{self.path}, line {line}: {message}")

    def number(self, word: str, line: int) -> float:
        """The number in a word of a line; raises if the word is no number, or the number is not finite or too large."""
        try:
            value = float(word)
        except ValueError:
            raise self.fault(line, f"{quoted_text(word)} is not a number") from None
        if not abs(value) < LARGEST_NUMBER:
            raise self.fault(line, f"{quoted_text(word)} is not finite or too large for a motion")
        return value

    def check_size(self, line: int, frames: int, joints: int) -> None:
        """Raise if a motion does not fit into memory; a small file can announce a large motion."""
        if frames * joints > MOST_POSES:
            raise self.fault(line, f"{frames} frames of {joints} joints are more than fit into memory")

    def table(self, rows: Iterable[tuple[int, list[str]]], width: int) -> Array:
        """Table of numbers, one row for each of `rows`, which are pairs of line number and `width` words."""
        values, lines = array("d"), array("q")
        for line, words in rows:
            lines.append(line)
            try:
                values.extend(map(float, words))
            except ValueError:
                values.extend(self.number(word, line) for word in words)  # raises, and names the word
        table = np.array(values).reshape(len(lines), width)
        wrong = ~(np.abs(table) < LARGEST_NUMBER).all(axis=1)  # also true for NaN
        if wrong.any():
            row = int(np.argmax(wrong))
            raise self.fault(lines[row], f"{np.abs(table[row]).max()} is not finite or too large for a motion")
        return table


def read_text_file(path: Path | str) -> TextFile:
    """Read a text file with any line ends, as UTF-8 or else Latin-1."""
    path = Path(path)
    content = read_file(path)
    if b"\0" in content:
        raise PoiseError(f"{path}, line {1 + content[: content.index(0)].count(10)}: this is not text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return TextFile(path, text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def quoted_text(text: str) -> str:
    """The first 40 characters of a file's text as printable ASCII in quotes, for an error message."""
    return ascii(text if len(text) <= 40 else text[:37] + "...")
