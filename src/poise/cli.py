"""The command line. Heavy modules are imported only by the command that needs them, so that help is instant."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from poise.errors import PoiseError, unknown
from poise.version import __version__


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the cause and leave."""
        raise PoiseError(f"{message} (see {self.prog} --help)")


class Defaults(argparse.ArgumentDefaultsHelpFormatter):
    """Shows defaults where they say something."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help if action.default in (None, False, []) else super()._get_help_string(action)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    parser = _parser()
    try:
        chosen = parser.parse_args(arguments)
        if chosen.run is None:
            parser.print_help()
            return 2
        report = chosen.run(chosen)
        if report is None:
            return 0
        print(json.dumps(report.data) if chosen.json else report.text, flush=True)
        return int(report.code)
    except PoiseError as error:
        print(f"poise: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("poise: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read our output has left; Python would complain once more when it closes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


class Report:
    """What a command has to say, for people and for programs."""

    def __init__(self, text: str, data: dict[str, Any], code: int = 0) -> None:
        self.text, self.data, self.code = text, data, code


def _parser() -> Parser:
    parser = Parser(
        prog="poise",
        allow_abbrev=False,
        description="Characters that perform motions under exact physics.",
        epilog="Example: poise perform fall --body human37 --controller limp --terrain stairs:0.15:0.3:8",
    )
    parser.add_argument("--version", action="version", version=f"poise {__version__}")
    parser.set_defaults(run=None, json=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_perform(commands)
    _add_audit(commands)
    _add_export(commands)
    _add_list(commands)
    _add_bench(commands)
    return parser


def _command(commands: Any, name: str, run: Callable[[argparse.Namespace], Report], what: str, example: str) -> Parser:
    command: Parser = commands.add_parser(
        name,
        allow_abbrev=False,
        help=what,
        description=what[0].upper() + what[1:] + ("" if what.endswith("?") else "."),
        epilog=f"Example: {example}",
        formatter_class=Defaults,
    )
    command.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    command.set_defaults(run=run)
    return command


# -- perform -----------------------------------------------------------------------------------------------------


def _add_perform(commands: Any) -> None:
    from poise.world.forms import PUSH_FORM, TERRAIN_FORMS

    command = _command(
        commands,
        "perform",
        _perform,
        "simulate a motion and write the performance",
        "poise perform stand --controller hold --push 60@1,dir=90 --seconds 4 --out standing",
    )
    add = command.add_argument
    add("motion", help="a motion by name (poise list motions)")
    add("--body", default="human37", help="a body by name, or a MJCF file (.xml)")
    add("--controller", default="hold", help="a controller by name (poise list controllers)")
    add("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the controller; repeatable")
    add("--seconds", type=float, default=5.0, help="how long to simulate")
    add("--push", action="append", default=[], metavar="PUSH", help=f"{PUSH_FORM}; repeatable; 0 degrees is forward")
    add("--terrain", default="flat", help=", ".join(TERRAIN_FORMS.values()) + ", or a TOML file of platforms")
    add("--friction", type=float, default=1.0, help="coefficient of friction of all surfaces")
    add("--limits", default=None, metavar="SET", help="a named set of torque limits of the body, such as athlete")
    add("--noise", type=float, default=0.0, help="noise of the initial joint velocities, rad/s")
    add("--step", type=float, default=None, help="duration of a simulation step, s (default: 1/120)")
    add("--seed", type=int, default=0, help="seed of all randomness")
    add("--out", type=Path, default=None, metavar="DIR", help="folder to write to; by default poise-MOTION")


def _perform(chosen: argparse.Namespace) -> Report:
    from poise.session import Session

    session = Session(
        motion=chosen.motion,
        body=chosen.body,
        controller=chosen.controller,
        settings=dict(_setting(text) for text in chosen.set),
        terrain=chosen.terrain,
        friction=chosen.friction,
        limits=chosen.limits,
        pushes=tuple(chosen.push),
        seconds=chosen.seconds,
        step=1 / 120 if chosen.step is None else chosen.step,
        seed=chosen.seed,
        noise=chosen.noise,
    )
    outcome = session.run(chosen.out or Path(f"poise-{Path(chosen.motion).stem}"), quiet=chosen.json)
    return Report(outcome.text(), outcome.summary, 1 if outcome.blow_up else 0)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise PoiseError(f"setting '{text}' is not of the form KEY=VALUE")
    return key, value


# -- audit, export -----------------------------------------------------------------------------------------------


def _add_audit(commands: Any) -> None:
    command = _command(commands, "audit", _audit, "is it physical?", "poise audit poise-fall/recording.npz")
    command.add_argument("file", type=Path, help="a recording (.npz)")


def _audit(chosen: argparse.Namespace) -> Report:
    from poise.measure import audit
    from poise.world.recording import Recording

    result = audit(Recording.load(chosen.file))
    lines = [
        f"{'ok  ' if check.passed else 'FAIL'} {check.name:18} {check.value:10.3g} {check.unit:18} "
        f"{f'at most {check.bound:.3g}' if check.bound < float('inf') else '':16} {check.meaning}"
        for check in result.checks
    ]
    lines.append("physical" if result.passed else "NOT physical")
    return Report("\n".join(lines), result.as_dict(), 0 if result.passed else 1)


def _add_export(commands: Any) -> None:
    command = _command(
        commands,
        "export",
        _export,
        "write a recording in another format: bvh, csv, html or png, by the ending",
        "poise export poise-fall/recording.npz fall.bvh",
    )
    command.add_argument("file", type=Path, help="a recording (.npz)")
    command.add_argument("target", type=Path, help="file to write")


def _export(chosen: argparse.Namespace) -> Report:
    from poise.export import export
    from poise.world.recording import Recording

    path = export(Recording.load(chosen.file), chosen.target)
    return Report(f"wrote {path}", {"files": [str(path)]})


# -- list, bench -------------------------------------------------------------------------------------------------


def _add_list(commands: Any) -> None:
    command = _command(commands, "list", _list, "what there is to choose from", "poise list bodies")
    command.add_argument(
        "kind", nargs="?", default="all", help="bodies, motions, controllers, terrains, formats or all"
    )


def _list(chosen: argparse.Namespace) -> Report:
    from poise.catalogue import catalogue

    found = catalogue()
    if chosen.kind != "all" and chosen.kind not in found:
        raise unknown("kind of thing", chosen.kind, [*found, "all"])
    shown = found if chosen.kind == "all" else {chosen.kind: found[chosen.kind]}
    lines = []
    for kind, items in shown.items():
        width = max(map(len, items))
        lines += [f"{kind}:", *(f"  {name:{width}}  {what}" for name, what in items.items())]
    return Report("\n".join(lines), shown)


def _add_bench(commands: Any) -> None:
    command = _command(
        commands, "bench", _bench, "speed, as ratios to MuJoCo's own step on the same body", "poise bench --steps 2000"
    )
    command.add_argument("--steps", type=int, default=1000, help="steps to time in each case")


def _bench(chosen: argparse.Namespace) -> Report:
    from poise.bench import bench

    rows = bench(chosen.steps)
    lines = [f"{'case':24} {'contacts':>8} {'poise us':>9} {'mj_step us':>10} {'ratio':>6} {'bound':>6}"]
    lines += [
        f"{row.case:24} {row.contacts:8d} {row.poise_us:9.1f} {row.mujoco_us:10.1f} {row.ratio:6.2f} {row.bound:6.1f}"
        for row in rows
    ]
    return Report("\n".join(lines), {"cases": [row.as_dict() for row in rows]})


if __name__ == "__main__":
    sys.exit(main())
