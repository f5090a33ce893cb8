"""`poise prepare`."""

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any

from poise.cli.command import ConsoleWatcher, Parser, Report, add_command, chosen_values
from poise.errors import PoiseError

_YES_OR_NO = {"yes": True, "no": False}
_NUMBERS = {"leading": int, "rate": float, "floor": float}


def add(commands: Any) -> None:
    """Add `poise prepare` and its arguments to the commands; each field of `ImportSettings` is an option."""
    from poise.forms import EDIT_FORM, VARIATION_FORM

    what = (
        "import a motion, repair it, retarget it to a body, find its contacts, clean its feet and move its limbs apart"
    )
    example = "poise prepare walk.bvh --report --span 0.5:3 --edit stride:+0.1"
    command = add_command(commands, "prepare", _run_prepare, what, example)
    option, repeated = command.add_argument, command.add_repeated
    motion = "a motion file (BVH, AMC with its ASF beside it, AMASS, or a clip of Poise), or a fetched motion by name"
    option("motion", type=Path, help=motion)
    option(
        "--body",
        default="own",
        help="a body by name, a MJCF file, a motion file for whose skeleton a body is built, or 'own' for the skeleton "
        "of the motion",
    )
    option("--mass", type=float, help="mass of a body that is built, kg; default: from its stature")
    option("--symmetric", action="store_true", help="give a body that is built legs of equal length, left and right")
    option("--span", type=_parse_span_argument, metavar="FROM:TO", help="part of the motion to use, s")
    option("--clearance", type=float, help="least foot height at mid-swing, m")
    option("--smoothing", type=float, metavar="HZ", help="cut-off of the smoothing, Hz; 0 for none; default: 6")
    repeated("--edit", dest="edits", metavar="EDIT", help=f"{EDIT_FORM} (poise list edits)")
    option("--dynamic", action="store_true", help="make the motion obey physics: find its torques and contact forces")
    repeated("--vary", metavar="CHANGE", help=f"with --dynamic: {VARIATION_FORM}")
    option("--terrain", default="flat", help="terrain shown on the page, as for poise perform")
    option("--report", action="store_true", help="print everything that was found and changed")
    option("--out", type=Path, metavar="DIR", help="folder to write to; default: prepared-MOTION")
    _add_import_overrides(command)


def _add_import_overrides(command: Parser) -> None:
    from poise.motion.repair.finding import ImportSettings

    group = command.add_argument_group("overrides", "Settings that are otherwise detected from the file.")
    for setting in fields(ImportSettings):
        option: dict[str, Any] = {"help": setting.metadata["help"], "default": None, "dest": f"import_{setting.name}"}
        if setting.name == "thorax":
            option["choices"] = tuple(_YES_OR_NO)
        elif "choices" in setting.metadata:
            option["choices"] = setting.metadata["choices"]
        else:
            option["type"] = _NUMBERS.get(setting.name, str)
            option["metavar"] = setting.name.upper()
        group.add_argument(f"--{setting.name}", **option)


def _run_prepare(chosen: argparse.Namespace) -> Report:
    from poise.library.preparation import Preparation
    from poise.motion.repair.finding import ImportSettings

    given: dict[str, Any] = {field.name: getattr(chosen, f"import_{field.name}") for field in fields(ImportSettings)}
    given["unit"], given["thorax"] = _parse_unit(given["unit"]), _YES_OR_NO.get(given["thorax"])
    preparation = Preparation(**chosen_values(Preparation, chosen), imports=ImportSettings(**given))
    watcher = ConsoleWatcher(chosen.json)
    with watcher.search() as search:
        outcome = preparation.run(chosen.out or Path(f"prepared-{chosen.motion.stem}"), watcher.say, search)
    return Report(outcome.text(chosen.report), outcome.summary)


def _parse_span_argument(text: str) -> tuple[float, float]:
    try:
        first, last = map(float, text.split(":"))
    except ValueError:
        raise PoiseError(f"span '{text}' is not of the form FROM:TO in seconds") from None
    return first, last


def _parse_unit(text: str | None) -> float | str | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text
