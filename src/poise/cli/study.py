"""`poise study`."""

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import ConsoleWatcher, Report, add_command


def add(commands: Any) -> None:
    """Add `poise study` and its arguments to the commands."""
    what = "reproduce a table or figure of a paper, or measure how robust a controller is; continues if it was stopped"
    command = add_command(commands, "study", _run_study, what, "poise study nqr-timing --quick --out studies")
    option = command.add_argument
    option("name", help="a study by name (poise list studies)")
    option("--quick", action="store_true", help="run a reduced study, which takes about a minute")
    option("--seeds", type=int, metavar="N", help="number of noisy starts; default: that of the study")
    option("--seconds", type=float, metavar="S", help="longest simulated time, s; default: that of the study")
    command.add_repeated("--motion", help="motion, by name or prepared (.npz), instead of those of the study")
    option("--workers", type=int, metavar="N", help="number of processes; default: one per core")
    option("--cluster", metavar="ADDRESS", help="Dask cluster that runs the study instead: tcp://host:port")
    option("--out", type=Path, default=Path(), metavar="DIR", help="folder for NAME.json, NAME.csv and NAME.png")


def _run_study(chosen: argparse.Namespace) -> Report:
    from poise.files import check_folder_writable
    from poise.study.catalogue import named_study
    from poise.study.experiment.runner import run_study

    study = named_study(chosen.name)
    scope = study.scope(chosen.quick, chosen.seeds, chosen.seconds, chosen.motion)
    check_folder_writable(chosen.out)
    findings = run_study(study, scope, chosen.workers, chosen.cluster, ConsoleWatcher(chosen.json).rows, chosen.out)
    files = [str(path) for path in findings.write(chosen.out)]
    text = "\n".join([findings.text(), *(f"wrote {file}" for file in files)])
    return Report(text, {**findings.as_dict(), "files": files})
