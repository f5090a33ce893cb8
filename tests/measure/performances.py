"""Random performances of all controllers, and what the audit calls them.

Draws a controller, a motion or script, a terrain, pushes, noise and steering, performs, and audits. A line of JSON for
each performance holds the command line, the word, what it should be, and the reasons. The same seed draws the same
performances; `--skip` continues.

    python tests/measure/performances.py 100 --seed 1
"""

import argparse
import json
import shlex

import numpy as np

from poise import PoiseError, audit
from poise.animate.animate import animate
from poise.animate.read_script import read_script, shipped_scripts
from poise.library.motions import motion_names
from poise.measure.replay import Replay
from poise.performance.request import Request
from poise.world.recorder import SELF

CONTROLLERS = ("nqr", "modal", "poses", "rotation", "limp", "pendulum", "hold")
BODIES = ("biped29", "human37", "human42", "human58", "lamp14")  # of what has no motion of its own
BEHAVIOURS = (
    *("back-flip", "back-handspring", "dive-down", "dive-roll", "forward-roll", "kip-up", "roll-and-stand"),
    *("shoulder-roll", "sideways-roll", "baby-roll"),
)
TERRAINS = ("flat", "flat", "flat", "slope:5", "slope:-5", "rough:0.03:{seed}", "drop:0.06:5", "stairs:0.12:0.3:4")
LINKS = ("pelvis", "head", "left_hand", "right_thigh")


def drawn(number, seed):
    """The request of a number, or the name of a script and its duration (s)."""
    pick = np.random.default_rng((seed, number))
    controller = CONTROLLERS[number % len(CONTROLLERS)]
    if controller == "poses":
        return str(pick.choice(shipped_scripts())), float(pick.uniform(1.0, 4.0))
    motions = BEHAVIOURS if controller == "rotation" else motion_names()
    motion, body, limits = str(pick.choice(motions)), None, None
    if controller in ("limp", "hold"):
        motion, body = str(pick.choice(("fall", "stand"))), str(pick.choice(BODIES))
    if controller == "rotation":
        limits = str(pick.choice(("athlete", "human")))
    terrain = str(pick.choice(TERRAINS)).format(seed=number)
    link = "" if controller == "pendulum" or body == "lamp14" else f",body={pick.choice(LINKS)}"
    pushes = tuple(
        f"{pick.uniform(20, 300):.0f}@{pick.uniform(0.1, 3):.2f},dir={pick.uniform(-180, 180):.0f}{link}"
        for _ in range(pick.integers(3))
    )
    noise = float(pick.choice((0.0, 0.1, 0.2)))
    steered = controller in ("nqr", "pendulum") and motion.startswith(("walk", "run")) and pick.random() < 0.5
    steer = f"1s:{pick.uniform(-60, 60):.0f}" if steered else None
    return Request(
        motion, body, controller, terrain=terrain, limits=limits, pushes=pushes, steer=steer, noise=noise, seed=number,
        seconds=float(np.round(pick.uniform(2, 6), 1)),
    )  # fmt: skip


def command(request):
    """The command line of a request."""
    words = ["poise", "perform", request.motion, "--controller", request.controller]
    for name in ("body", "terrain", "limits", "steer", "noise", "seed", "seconds"):
        if (value := getattr(request, name)) not in (None, "flat"):
            words += [f"--{name}", str(value)]
    for push in request.pushes:
        words += ["--push", push]
    return shlex.join(words)


def judged(request):
    """What the audit says of a drawn performance; None if it is refused as unsuitable."""
    is_script = isinstance(request, tuple)
    try:
        performance = animate(read_script(request[0]), request[1]) if is_script else request.perform()
    except PoiseError as error:
        return {"refused": str(error)}
    recording = performance.recording
    found = audit(recording)
    wanted = "assisted" if is_script and recording.external.any() else "physical"
    return {
        "word": str(found.verdict.word), "as_it_is": str(found.verdict.word) == wanted,
        "fails": [check.name for check in found.checks if not check.passed],
        "reasons": found.verdict.reasons[:3], "own_contacts": int(np.sum(recording.contact_kind == SELF)),
        "hertz": round(1 / recording.step), "joint_residual": joint_residual(recording),
        "values": {check.name: float(f"{check.value:.4g}") for check in found.checks},
    }  # fmt: skip


def joint_residual(recording):
    """Median over joints and steps (N m) of what their equations lack with the recorded root velocities.

    The audit's `joint_equation` solves for the root's velocities, which the exact momentum changes after the step, and
    finds 1e-11 N m or less.
    """
    replay, r = Replay.of(recording), recording
    joints = np.ones(r.model.nv, bool)
    joints[(r.model.body_dofadr[replay.roots][:, None] + np.arange(6)).ravel()] = False
    given = r.torque + r.external + replay.contact_forces + r.limit_impulse / r.step
    lacking = replay.inertial_force + r.model.dof_damping * r.qvel[1:] - given
    return float(f"{np.median(np.abs(lacking[:, joints])):.3g}")


def main():
    """Draw until so many performances are judged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="numbers to leave out at the start")
    parser.add_argument("--controller", choices=CONTROLLERS, help="draw only performances of this controller")
    chosen = parser.parse_args()
    number, done, words, residuals = chosen.skip, 0, {}, []
    while done < chosen.count:
        request = drawn(number, chosen.seed)
        said = request[0] if isinstance(request, tuple) else command(request)
        of = CONTROLLERS[number % len(CONTROLLERS)]
        if chosen.controller in (None, of):
            found = judged(request)
            if "refused" not in found:
                done += 1
                right, tried = words.get(of, (0, 0))
                words[of] = right + found["as_it_is"], tried + 1
                residuals += [found["joint_residual"]] if found["hertz"] == 120 else []
            print(json.dumps({"number": number, "controller": of, "command": said, **found}), flush=True)
        number += 1
    told = {"median": float(np.median(residuals)), "largest": max(residuals), "of": len(residuals)}
    right = {of: f"{a} of {b}" for of, (a, b) in words.items()}
    print(json.dumps({"judged": done, "as they are": right, "joint residual at 120 Hz, N m": told}))


if __name__ == "__main__":
    main()
