"""A target of the fuzzing, and the table of all."""

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from poise.errors import PoiseError

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"


@dataclass(frozen=True)
class Target:
    """Something that takes text or bytes of any content: it succeeds, or raises a PoiseError."""

    name: str
    run: Callable[[bytes, Path], object]  # an input, and an empty folder to write to
    seeds: Callable[[], list[bytes]]
    slow: bool = False  # takes milliseconds, not microseconds
    compiled: bool = False  # uses kernels, which atheris cannot watch

    def inputs(self) -> list[bytes]:
        """The valid inputs, and those of the corpus, which once escaped."""
        kept = sorted((CORPUS / self.name).glob("*")) if (CORPUS / self.name).is_dir() else []
        return [*self.seeds(), *(path.read_bytes() for path in kept)]

    def escape(self, data: bytes, folder: Path) -> Exception | None:
        """The exception that an input makes, other than a PoiseError of one line; None if there is none."""
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                self.run(data, folder)
        except PoiseError as error:
            lines = str(error)
            return (
                None
                if (lines and lines.isprintable()) or len(lines.splitlines()) == 1
                else ValueError(f"message {lines!r}")
            )
        except SystemExit:
            return None
        except Exception as error:
            return error
        return None


TARGETS: dict[str, Target] = {}


def fuzzed(name, seeds, slow=False, compiled=False):
    def add(run):
        TARGETS[name] = Target(
            name, run, seeds if callable(seeds) else lambda: [seed.encode() for seed in seeds], slow, compiled
        )
        return run

    return add


def text(data: bytes) -> str:
    """As the command line gets it: bytes that are not UTF-8 become lone surrogates; no NUL."""
    return data.decode("utf-8", "surrogateescape")


def written(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path
