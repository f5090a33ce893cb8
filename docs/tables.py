"""Pages that are written from the code when the documentation is built, so that they cannot drift from it."""

from __future__ import annotations

import argparse
import ast
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from poise.body.assemble import body_names
from poise.body.body import Body
from poise.cli.list import names_by_kind
from poise.cli.main import build_parser
from poise.control.catalogue import named_controller
from poise.forms import EDIT_FORMS
from poise.library.authoring.source import read_source, shipped_names
from poise.library.motions import named_motion, shipped_dynamic, shipped_dynamic_bodies, shipped_motion_facts
from poise.measure.audit import audit
from poise.performance.stage import perform
from poise.study.catalogue import STUDIES
from poise.study.experiment.study import Scope
from poise.study.experiment.table import cell_text
from poise.world.scene import Scene
from poise.world.world import World

EXAMPLES = Path(__file__).parent.parent / "examples"
MEASUREMENTS = Path(__file__).parent / "measurements"  # what studies have written; see make_measurements.py


def write(folder: Path) -> None:
    """Write all of them into a folder, for `include`."""
    folder.mkdir(parents=True, exist_ok=True)
    for make in (bodies, edits, commands, checks, choices, gallery, motions):
        (folder / f"{make.__name__}.md").write_text(make() + "\n")
    for path in sorted(MEASUREMENTS.glob("*.json")):
        (folder / f"study-{path.stem}.md").write_text(measurement(json.loads(path.read_text())) + "\n")


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def edits() -> str:
    """The edits and how they are written."""
    return table(["form", "what it does"], [[f"`{form}`", what] for form, what in EDIT_FORMS.values()])


def bodies() -> str:
    """The bodies that come with Poise."""
    rows = []
    for name in body_names():
        body = Body.named(name)
        module = __import__(f"poise.body.plans.{name}", fromlist=["plan"])
        what = " ".join(module.__doc__.split("\n\n")[0].split()).partition(": ")[2].rstrip(".")
        limits = np.unique(body.torque_limit[6:])
        rows.append([
            f"`{name}`",
            what.split(",")[0],
            f"{body.nv - 6} + 6",
            str(len(body.links)),
            f"{body.mass:.1f}",
            f"{_height(body):.2f}",
            " to ".join(f"{limit:g}" for limit in dict.fromkeys((limits.min().round(1), limits.max().round(1)))),
            ", ".join(f"`{key}`" for key in body.torque_limits),
        ])  # fmt: skip
        assert body.name == name
    head = [
        "name",
        "what",
        "DOF (joints + root)",
        "links",
        "mass, kg",
        "standing height, m",
        "torque limits, N m",
        "sets of limits",
    ]
    return table(head, rows)


def _height(body: Body) -> float:
    """m, of the standing pose: highest point of any shape, by rays from above."""
    import mujoco

    data = mujoco.MjData(body.model)
    data.qpos[:] = body.standing
    mujoco.mj_kinematics(body.model, data)
    tops = []
    found = np.zeros(1, np.int32)
    for x in np.linspace(-0.3, 0.3, 61):
        for y in np.linspace(-0.3, 0.3, 61):
            hit = mujoco.mj_ray(body.model, data, np.array([x, y, 5.0]), np.array([0, 0, -1.0]), None, 1, -1, found)
            tops.append(5.0 - hit if hit >= 0 else 0.0)
    return max(tops)


def commands() -> str:
    """The help of every command."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "100"
    try:
        parser = build_parser()
        parts = [f"```text\n{parser.format_help().strip()}\n```"]
        for command in _parsers(parser):
            parts.append(f"## {command.prog}\n\n```text\n{command.format_help().strip()}\n```")
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before
    return "\n\n".join(parts)


def _parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Those of its commands, each followed by those of its own."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    commands = [command for action in actions for command in action.choices.values()]
    return [each for command in commands for each in (command, *_parsers(command))]


def checks() -> str:
    """What an audit checks, and its bounds, from an audit of a tenth of a second."""
    body = Body.named("lamp14")
    recording = perform(
        World(Scene.of(body)), named_controller("limp"), named_motion("stand", body), seconds=0.1
    ).recording
    rows = [
        [f"`{c.name}`", c.meaning, f"{c.bound:.4g}" if c.bound < float("inf") else "no bound", c.unit]
        for c in audit(recording).checks
    ]
    return table(["check", "measures", "at most", "unit"], rows)


def choices() -> str:
    """What `poise list` lists, without the bodies."""
    parts = []
    for kind, items in names_by_kind().items():
        rows = [[f"`{name}`", what] for name, what in items.items()]
        if kind != "bodies":
            parts.append(f"**{kind.capitalize()}**\n\n" + table(["name", "what"], rows))
    return "\n\n".join(parts)


def gallery() -> str:
    """The examples: docstring, picture, source."""
    parts = []
    for path in sorted(EXAMPLES.glob("[0-9]*.py")):
        source = path.read_text()
        title, _, text = (ast.get_docstring(ast.parse(source)) or "").partition("\n")
        code = source.split('"""', 2)[2].strip()
        parts.append(
            f"## {title.rstrip('.')}\n\n{text.strip()}\n\n"
            f"![{title}](_static/{path.stem}.png)\n\n"
            f"`examples/{path.name}`\n\n```python\n{code}\n```"
        )
    return "\n\n".join(parts)


def motions() -> str:
    """The motions that come with Poise: a table of facts with thumbnails, then a strip of pictures each."""
    rows, strips = [], []
    for name in shipped_names():
        for body in shipped_dynamic_bodies(name)[:1]:
            facts = shipped_motion_facts(shipped_dynamic(name, body))
            air = f"; {100 * facts.airborne:.0f} % of the time in the air" if facts.airborne else ""
            rows.append([
                f"![{name}](_static/motions/thumbnails/{name}.png)",
                f"[{name}](#{name})",
                read_source(name).title,
                f"{facts.seconds:.2f}{', a cycle' if facts.cyclic else ''}",
                f"{facts.speed:.2f}",
                ", ".join(facts.contacts) + air,
            ])  # fmt: skip
            strips.append(f"### {name}\n\n![{name}](_static/motions/{name}.png)")
    return "\n\n".join(
        [table(["", "name", "what", "duration, s", "speed, m/s", "parts that bear weight"], rows), *strips]
    )


def measurement(findings: Mapping[str, Any]) -> str:
    """The summary of a study's findings as a folded table, below the command that makes it."""
    rows = findings["summary"]
    columns = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    cells = [[cell_text(row[name]) for name in columns] for row in rows]
    summary = table([name.replace("_", " ") for name in columns], cells)
    title = f"Output of <code>{study_command(findings)}</code>, version {findings['version']}"
    return f"<details>\n<summary>{title}</summary>\n\n{summary}\n\n</details>"


def study_command(findings: Mapping[str, Any]) -> str:
    """The command line of a study's findings: its name, and what differs from the study's own scope."""
    study, scope = STUDIES[findings["study"]], findings["scope"]
    scope = Scope(**{**scope, "motions": tuple(scope["motions"])})
    if scope == study.quick:
        return f"poise study {study.name} --quick"
    parts = [f"poise study {study.name}"]
    for name in ("seeds", "seconds"):
        if getattr(scope, name) != getattr(study.whole, name):
            parts.append(f"--{name} {getattr(scope, name):g}")
    if scope.motions != study.whole.motions:
        parts += [f"--motion {Path(motion).name}" for motion in scope.motions]
    return " ".join(parts)
