"""Runs the commands of quickstart.md again and puts what they print into it: part of `make pictures`."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parent / "quickstart.md"


def main() -> None:
    """Every `console` block: its `$ ` lines are run in order, in one folder."""
    with tempfile.TemporaryDirectory() as folder:

        def rerun(block: re.Match[str]) -> str:
            commands = re.findall(r"^\$ poise (.+)$", block[1], re.MULTILINE)
            return "```console\n" + "".join(f"$ poise {c}\n{output(c, folder)}" for c in commands) + "```"

        text = re.sub(r"```console\n(.*?)```", rerun, PAGE.read_text(), flags=re.DOTALL)
    PAGE.write_text(text)
    print(f"wrote {PAGE}")


def output(command: str, folder: str) -> str:
    """What a command prints on stdout; an audit that fails is no reason to stop."""
    words = [sys.executable, "-m", "poise", *shlex.split(command)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(done.stderr)
    return done.stdout


if __name__ == "__main__":
    main()
