"""`poise tune`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import Report, Watcher, add_command


def add(commands: Any) -> None:
    """Its arguments."""
    command = add_command(
        commands,
        "tune",
        _tune,
        "search the free numbers of a behaviour over noisy starts, and write what is found into its file",
        "poise tune forward-roll --generations 20 --terrain flat --terrain slope:-5 --out my-roll.toml",
    )
    option = command.add_argument
    option("behaviour", help="a behaviour that comes with Poise (poise list motions), or a file of your own (.toml)")
    option("--generations", type=int, default=40, metavar="N", help="how many in all, earlier ones of it included")
    option("--population", type=int, default=20, metavar="N", help="samples in a generation")
    option("--trials", type=int, default=3, metavar="N", help="noisy starts of each sample, drawn anew each generation")
    option("--terrain", action="append", default=[], help="what is tried on; repeatable, taken in turn; flat if none")
    option("--rate", action="append", type=float, default=[], help="steps a second; repeatable, in turn; else its own")
    option("--seconds", type=float, default=8.0, help="of each trial")
    option("--noise", type=float, default=0.1, help="of the first joint velocities, rad/s: trials go from none to this")
    option("--jolt", type=float, default=0.0, help="of joint velocities when a flip takes off, rad/s: likewise")
    option("--limits", default=None, help="a set of torque limits instead of the behaviour's own")
    option("--width", type=float, default=0.5, help="of the first samples, in spreads of the file's [tune]")
    option("--check", type=int, default=10, metavar="N", help="fresh starts by which the result is judged")
    option("--workers", type=int, default=None, metavar="N", help="processes to run on; by default one per core")
    option(
        "--out",
        type=Path,
        default=None,
        metavar="FILE",
        help="the tuned behaviour; by default the file itself, or NAME.toml for one that comes with Poise. A journal "
        "is kept beside it (.tune.json), from which a search that was stopped goes on",
    )


def _tune(chosen: argparse.Namespace) -> Report:
    from poise.files import check_writable, write_file
    from poise.library.behaviours.files import read_behaviour
    from poise.performance.run import check
    from poise.study.experiment.runner import cores
    from poise.study.rotation.tune import Generation, TuneSettings, text_of, tune
    from poise.world.terrain_kinds import parse_terrain

    check(chosen.seconds, 0, chosen.noise)
    for terrain in chosen.terrain:
        parse_terrain(terrain)
    behaviour = read_behaviour(chosen.behaviour)
    own = chosen.behaviour.endswith(".toml")
    target = chosen.out or (Path(chosen.behaviour) if own else Path(f"{behaviour.name}.toml"))
    check_writable(target.parent)
    settings = TuneSettings(
        chosen.generations,
        chosen.population,
        chosen.trials,
        tuple(chosen.terrain) or ("flat",),
        tuple(chosen.rate) or (behaviour.rate,),
        chosen.seconds,
        chosen.noise,
        chosen.jolt,
        chosen.limits,
        chosen.width,
        chosen.check,
    )
    watcher = Watcher(chosen.json)

    def tell(now: Generation) -> None:
        scores = f"best {now.best:.2f}, median {now.median:.2f}, width {now.width:.2f}"
        watcher.log(f"generation {now.number} of {now.of}: {scores}")

    journal = target.with_suffix(".tune.json")
    tuned = tune(behaviour, settings, journal, chosen.workers or cores(), tell)
    write_file(target, text_of(tuned, settings).encode())
    text = f"score {tuned.score:.2f}, before {tuned.before:.2f}\nwrote {target}\nwrote {journal}"
    data = {"score": tuned.score, "before": tuned.before, "generations": tuned.generations}
    return Report(text, {**data, "files": [str(target), str(journal)]})
