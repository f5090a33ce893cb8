"""Runs the commands of some pages again and puts what they print into them: part of `make pictures`."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PAGES = (HERE / "quickstart.md", HERE / "motion.md", HERE / "editing.md", HERE / "physics.md")
MOTIONS = HERE.parent / "examples" / "motions"


def main() -> None:
    """All pages."""
    for page in PAGES:
        rerun(page)


def rerun(page: Path) -> None:
    """Every `console` block of a page: its `$ ` lines are run in order, in one folder that has the example motions."""
    with tempfile.TemporaryDirectory() as folder:
        for motion in MOTIONS.glob("*.bvh"):
            shutil.copy(motion, folder)

        def again(block: re.Match[str]) -> str:
            commands = re.findall(r"^\$ poise (.+)$", block[1], re.MULTILINE)
            return "```console\n" + "".join(f"$ poise {c}\n{output(c, folder)}" for c in commands) + "```"

        text = re.sub(r"```console\n(.*?)```", again, page.read_text(), flags=re.DOTALL)
    page.write_text(text)
    print(f"wrote {page}")


def output(command: str, folder: str) -> str:
    """What a command prints on stdout; an audit that fails is no reason to stop."""
    words = [sys.executable, "-m", "poise", *shlex.split(command)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if not done.stdout:
        raise SystemExit(done.stderr)
    return done.stdout


if __name__ == "__main__":
    main()
