"""`poise study`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import Report, Watcher, add_command


def add(commands: Any) -> None:
    """Add the command and its arguments."""
    command = add_command(
        commands,
        "study",
        _run_study,
        "reproduce a table or figure of a paper, or measure how robust a controller is",
        "poise study nqr-timing --quick --out studies",
    )
    option = command.add_argument
    option("name", help="a study by name (poise list studies)")
    option("--quick", action="store_true", help="a reduced study, of about a minute")
    option("--seeds", type=int, metavar="N", help="number of noisy starts; by default the study's own")
    option("--seconds", type=float, metavar="S", help="longest duration of a performance; by default the study's own")
    command.add_repeated("--motion", help="motion to use instead of the study's own, by name or prepared")
    option("--workers", type=int, metavar="N", help="processes to run on; by default one per core")
    option("--cluster", metavar="ADDRESS", help="a Dask cluster to run on instead: tcp://host:port")
    option("--out", type=Path, default=Path(), metavar="DIR", help="folder for NAME.json, NAME.csv and NAME.png")


def _run_study(chosen: argparse.Namespace) -> Report:
    from poise.files import check_folder_writable
    from poise.study.catalogue import named_study
    from poise.study.experiment.runner import run_study

    study = named_study(chosen.name)
    scope = study.scope(chosen.quick, chosen.seeds, chosen.seconds, chosen.motion)
    check_folder_writable(chosen.out)
    findings = run_study(study, scope, chosen.workers, chosen.cluster, Watcher(chosen.json).rows)
    files = [str(path) for path in findings.write(chosen.out)]
    text = "\n".join([findings.text(), *(f"wrote {file}" for file in files)])
    return Report(text, {**findings.as_dict(), "files": files})
