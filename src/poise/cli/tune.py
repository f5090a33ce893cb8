"""`poise tune`."""

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import ConsoleWatcher, Report, add_command, chosen_values


def add(commands: Any) -> None:
    """Add `poise tune` and its arguments to the commands."""
    what = "search for the best values of the free numbers of a behaviour over noisy starts, and write them to a file"
    example = "poise tune forward-roll --generations 20 --terrain flat --terrain slope:-5 --out my-roll.toml"
    command = add_command(commands, "tune", _run_tune, what, example)
    option, repeated = command.add_argument, command.add_repeated
    option("behaviour", help="a shipped behaviour (poise list motions), or your own file (.toml)")
    option("--generations", type=int, default=40, metavar="N", help="generations, including those before a resume")
    option("--population", type=int, default=20, metavar="N", help="number of samples in a generation")
    option("--trials", type=int, default=3, metavar="N", help="noisy starts for each sample, new in each generation")
    repeated("--terrain", help="terrain of the trials, several take turns; default: flat")
    repeated("--rate", type=float, help="steps per second of the simulation; default: that of the behaviour")
    option("--seconds", type=float, default=8.0, help="simulated time of each trial, s")
    option("--noise", type=float, default=0.1, help="largest noise of the initial joint velocities, rad/s")
    option("--jolt", type=float, default=0.0, help="largest noise of joint velocities at the take-off of a flip, rad/s")
    option("--limits", help="named set of torque limits; default: that of the behaviour")
    option("--width", type=float, default=0.5, help="first width, relative to the spreads given in [tune] of the file")
    option("--check", type=int, default=10, metavar="N", help="number of new noisy starts that judge the result")
    option("--workers", type=int, metavar="N", help="number of processes; default: one per core")
    option(
        "--out",
        type=Path,
        metavar="FILE",
        help="file to write; default: the given file, or NAME.toml for a shipped behaviour. A journal beside the file "
        "(.tune.json) lets a stopped search resume",
    )


def _run_tune(chosen: argparse.Namespace) -> Report:
    from poise.files import check_folder_writable, write_file
    from poise.library.behaviours.files import read_behaviour
    from poise.performance.run import check_run_arguments
    from poise.study.experiment.runner import available_cores
    from poise.study.rotation.tune import TuneGeneration, TuneSettings, tune_rotation_behaviour, tuned_behaviour_text
    from poise.world.terrain_kinds import parse_terrain

    check_run_arguments(chosen.seconds, 0, chosen.noise)
    for terrain in chosen.terrain:
        parse_terrain(terrain)
    behaviour = read_behaviour(chosen.behaviour)
    own = chosen.behaviour.endswith(".toml")
    target = chosen.out or (Path(chosen.behaviour) if own else Path(f"{behaviour.name}.toml"))
    check_folder_writable(target.parent)
    turns = {"terrains": tuple(chosen.terrain) or ("flat",), "rates": tuple(chosen.rate) or (behaviour.rate,)}
    settings = TuneSettings(**{**chosen_values(TuneSettings, chosen), **turns})
    watcher = ConsoleWatcher(chosen.json)

    def log_generation(now: TuneGeneration) -> None:
        scores = f"best {now.best:.2f}, median {now.median:.2f}, width {now.width:.2f}"
        watcher.log(f"generation {now.number} of {now.of}: {scores}")

    journal = target.with_suffix(".tune.json")
    tuned = tune_rotation_behaviour(behaviour, settings, journal, chosen.workers or available_cores(), log_generation)
    write_file(target, tuned_behaviour_text(tuned, settings).encode())
    text = f"score {tuned.score:.2f}, before {tuned.before:.2f}\nwrote {target}\nwrote {journal}"
    data = {"score": tuned.score, "before": tuned.before, "generations": tuned.generations}
    return Report(text, {**data, "files": [str(target), str(journal)]})
