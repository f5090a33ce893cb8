"""`poise perform`."""

import argparse
from pathlib import Path
from typing import Any

from poise.cli.command import ConsoleWatcher, Report, add_command, chosen_values
from poise.errors import PoiseError


def add(commands: Any) -> None:
    """Add `poise perform` and its arguments to the commands; the arguments are named like the fields of `Request`."""
    from poise.control.commands import STEER_FORM
    from poise.forms import EDIT_FORM, PUSH_FORM, TERRAIN_FORM

    what = "simulate a motion and write the performance"
    example = "poise perform walk --controller nqr --push 150@2,dir=180 --seconds 10 --out pushed"
    command = add_command(commands, "perform", _run_perform, what, example)
    option, repeated = command.add_argument, command.add_repeated
    motion = "a motion by name (poise list motions, poise motions get), a motion file, or a prepared motion (.npz)"
    option("motion", help=motion)
    option(
        "--body",
        help="a body by name, a MJCF file, a motion file for whose skeleton a body is built, or 'own' for the skeleton "
        "of the motion; default: own for motion files; otherwise the body that suits the controller",
    )
    option(
        "--controller",
        help="a name (poise list controllers), or a class as module:Class; default: rotation for behaviours, else hold",
    )
    repeated("--set", dest="settings", type=_parse_setting, metavar="KEY=VALUE", help="a setting of the controller")
    option("--seconds", type=float, help="simulated time, s; default: that of the motion, or 5 if endless")
    repeated("--edit", dest="edits", metavar="EDIT", help=f"{EDIT_FORM} (poise list edits)")
    option(
        "--steer",
        metavar="STEER",
        help=f"{STEER_FORM}: at each time a heading in degrees (left is positive) and optionally a speed in m/s (0 to "
        "stand, negative for backward), an additional foot lift in m and a step duration in s, as far as the "
        "controller allows",
    )
    option(
        "--then",
        metavar="MOTION:CONTROLLER",
        help="motion and controller that take over when the motion has ended, such as walk:pendulum; by "
        "default pendulum brings a character to a stand if its motion ends in mid-stride",
    )
    option(
        "--catch",
        metavar="CONTROLLER",
        help="a controller, such as pendulum: if the character topples in a motion with planted feet, this controller "
        "takes steps until the character stands; then the motion continues",
    )
    repeated("--load", dest="loads", metavar="LINK=KG", help="a load in kg on a link, such as right_hand=15")
    repeated("--push", dest="pushes", metavar="PUSH", help=f"{PUSH_FORM}: FORCE in N, times in s; 0 DEG is forward")
    option("--terrain", default="flat", help=f"{TERRAIN_FORM} (lengths in m), or a TOML file")
    option("--friction", type=float, default=1.0, help="coefficient of friction of all surfaces")
    passing = "let links of the body pass through each other"
    option("--no-self-contact", dest="self_contact", action="store_false", help=passing)
    option("--limits", metavar="SET", help="a named set of torque limits of the body, such as athlete")
    option("--noise", type=float, default=0.0, help="largest noise of the initial joint velocities, rad/s")
    option("--step", type=float, help="simulation step, s; default: that of the controller")
    option("--seed", type=int, default=0, help="seed of all randomness")
    option("--out", type=Path, metavar="DIR", help="folder to write to; default: poise-MOTION")


def _run_perform(chosen: argparse.Namespace) -> Report:
    from poise.performance.request import Request
    from poise.reference.archive import motion_display_name

    request = Request(**{**chosen_values(Request, chosen), "settings": dict(chosen.settings)})
    watcher = ConsoleWatcher(chosen.json)
    outcome = request.perform_and_write(
        chosen.out or Path(f"poise-{motion_display_name(chosen.motion)}"), watcher.say, watcher.bar
    )
    return Report(outcome.text(), outcome.summary, 1 if outcome.performance.blow_up else 0)


def _parse_setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise PoiseError(f"setting '{text}' is not of the form KEY=VALUE")
    return key, value
