"""Makes the numbers of docs/studio-measurements.md: `python docs/studio_checks.py`, some ten minutes.

Prints a line of JSON for each of: walks over ground that is bent while they go on, weights that are hung on a body
against the same masses built into it, what a weight costs, and walks of the pendulum in the studio's steps. Names
of these as arguments make only some of them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from poise.body.body import Body
from poise.control.catalogue import controller_entry
from poise.performance.forces import WeightHungInRun, hung_force
from poise.performance.report import summarise_performance
from poise.performance.request import Request
from poise.performance.run import Run
from poise.world.profile import GroundProfile
from poise.world.scene import Scene
from poise.world.world import World

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "performance"))

AHEAD = 1.5
"""m before the walker, where the ground begins to bend."""
BENT = {"pendulum": (5, 10, 12, -5, -10, -12), "nqr": (3, 6, 10), "modal": (3,)}
"""Degrees, by controller."""
GROUNDS = ("slope:5", "slope:-5", "slope:10", "stairs:0.06:0.7:8", "rough:0.03", "drop:0.06:5", "hurdle:0.06:4")
Line = dict[str, Any]


def frame_step(controller: str) -> float | None:
    """Time step (s) of a controller in the studio; None for its usual one."""
    return controller_entry(controller).frame_step


def begun(**told: Any) -> tuple[Run, Callable[[float], None]]:
    """A run, and how it goes on for seconds."""
    run = Request(**told).stage().run

    def go(seconds: float) -> None:
        for _ in range(round(seconds / run.world.settings.step)):
            run.step()

    return run, go


def verdict(run: Run) -> Line:
    told = summarise_performance(run.so_far())
    return {key: told[key] for key in ("fell_at", "physical", "real_time_factor")}


def ground() -> Iterator[Line]:
    """A slope after three seconds, and level ground again after four more."""
    for controller, slopes in BENT.items():
        body = "human42" if controller == "modal" else "biped29"
        for degrees in slopes:
            run, go = begun(motion="walk", body=body, controller=controller, step=frame_step(controller))
            go(3)
            for each in (float(degrees), 0.0):
                profile = GroundProfile.of(run.world.scene.terrain)
                assert profile is not None
                run.lay(profile.bent(float(run.world.qpos[0]) + AHEAD, each, onward=True), f"{each:g}°")
                go(4)
            yield {"controller": controller, "degrees": degrees, **verdict(run)}


def running() -> Iterator[Line]:
    """Runs of the look-ahead controller up and down slopes, which the studio does not offer."""
    for degrees in (3, 5, -5):
        run, go = begun(motion="run", body="biped29", controller="nqr", terrain=f"slope:{degrees}")
        go(8)
        yield {"degrees": degrees, **verdict(run)}


def weights() -> Iterator[Line]:
    """rad that joints are off those of a body with the mass in its hand; with a weight hung there, and without.

    Thrown up it flails for half a second, in which it does not land; standing it is pulled over for a second.
    """
    from test_hung_weights import BODY, MOTORS, NOBODY, SETTINGS, standing, thrown, with_point_masses

    for begin, seconds, mass in ((thrown, 0.5, 2.0), (thrown, 0.5, 15.0), (standing, 1.0, 15.0)):
        weight = WeightHungInRun.on(NOBODY, BODY.hands[0].link, mass)
        hung, bare = (World(Scene((BODY,)), SETTINGS) for _ in range(2))
        carried = with_point_masses([weight])
        for world in (hung, bare, carried):
            world.reset(*begin())
        for _ in range(round(seconds / SETTINGS.step)):
            hung.step(MOTORS, hung_force([weight], hung, MOTORS, None))
            bare.step(MOTORS)
            carried.step(MOTORS)
        off, without = (float(np.abs(world.qpos[7:] - carried.qpos[7:]).max()) for world in (hung, bare))
        yield {"begin": begin.__name__, "kg": mass, "off": round(off, 4), "without": round(without, 3)}


def cost() -> Iterator[Line]:
    """Times real time with so many weights of 3 kg."""
    for controller in ("pendulum", "nqr"):
        for count in (0, 1, 2):
            run, go = begun(motion="walk", body="biped29", controller=controller, step=frame_step(controller))
            for hand in Body.named("biped29").hands[:count]:
                run.hang(hand.link, 3.0)
            go(6)
            yield {"controller": controller, "weights": count, **verdict(run)}


def steps() -> Iterator[Line]:
    """Walks of the pendulum in its usual steps and in those of the studio."""
    cases: list[Line] = [
        {"motion": motion, "body": body}
        for body in ("biped29", "human58", "human37")
        for motion in ("walk", "walk-fast", "walk-slow")
    ]
    cases += [{"motion": "walk", "body": "biped29", "terrain": terrain} for terrain in GROUNDS]
    cases += [
        {"motion": "walk", "body": "biped29", "pushes": (f"{newtons}@3,duration=0.2,dir={degrees}",)}
        for degrees in range(0, 360, 45)
        for newtons in (250, 350)
    ]
    for step in (0.02, frame_step("pendulum")):
        walks = [Request(**case, controller="pendulum", step=step, seconds=12.0) for case in cases]
        fell = [str(walk) for walk in walks if summarise_performance(walk.perform())["fell_at"] is not None]
        yield {"step": round(step, 4), "walks": len(cases), "fell": fell}


PARTS = {part.__name__: part for part in (ground, running, weights, cost, steps)}


def main() -> None:
    for name in sys.argv[1:] or PARTS:
        for line in PARTS[name]():
            print(json.dumps({"about": name, **line}), flush=True)


if __name__ == "__main__":
    main()
