"""Take what studies have written into the documentation: `python docs/make_measurements.py FOLDER`.

FOLDER is the `--out` of `poise study`. The summary of each study goes to docs/measurements, from where docs/tables.py
writes it into the pages of measurements. Plots go to docs/_static/studies, except those of `--quick` studies.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(folder: Path) -> None:
    """Copy the summaries, without the rows, and the plots of all studies in a folder."""
    for path in sorted(folder.glob("*.json")):
        findings = json.loads(path.read_text())
        del findings["rows"]
        (HERE / "measurements" / path.name).write_text(json.dumps(findings, indent=1) + "\n")
        if not findings["scope"]["coarse"]:
            shutil.copy(path.with_suffix(".png"), HERE / "_static" / "studies" / f"{path.stem}.png")
        print(path.stem)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
