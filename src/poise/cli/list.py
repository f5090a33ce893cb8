"""`poise list`."""

import argparse
from typing import Any

from poise.cli.command import Report, add_command
from poise.errors import known_name


def names_by_kind() -> dict[str, dict[str, str]]:
    """Descriptions of everything that can be chosen by name: {kind: {name: description}}."""
    from poise.animate.read_script import shipped_script_titles
    from poise.body.assemble import body_names
    from poise.body.body import Body
    from poise.control.catalogue import controller_entries
    from poise.export.formats import FORMATS
    from poise.forms import EDIT_FORMS, TERRAIN_FORMS
    from poise.library.motions import motion_names
    from poise.motion.captures import cmu_mocap_archive
    from poise.study.catalogue import STUDIES

    bodies = {}
    for name in body_names():
        body = Body.named(name)
        bodies[name] = f"{body.nv - 6} joint DOF and the root's 6, {len(body.links)} links, {body.mass:.1f} kg"
    return {
        "bodies": bodies,
        "motions": {name: _motion_line_of_list(name) for name in motion_names()},
        "captures": {name: f"{of.what}, {of.seconds:g} s" for name, of in cmu_mocap_archive().captures.items()},
        "controllers": {name: entry.what for name, entry in controller_entries().items()},
        "scripts": shipped_script_titles(),
        "terrains": {name: form for name, (form, _) in TERRAIN_FORMS.items()},
        "edits": dict(EDIT_FORMS.values()),
        "formats": {name: form.what for name, form in FORMATS.items()},
        "studies": {name: f"{study.title}: {study.reproduces}" for name, study in STUDIES.items()},
    }


def _motion_line_of_list(name: str) -> str:
    """The title of a motion; if the motion obeys physics, also its duration, speed, contacts and bodies."""
    from poise.control.catalogue import controller_entries
    from poise.library.authoring.source import read_source, shipped_names
    from poise.library.behaviours.files import behaviour_names, read_behaviour
    from poise.library.motions import POSES, shipped_dynamic, shipped_dynamic_bodies, shipped_motion_facts

    if name in behaviour_names():
        behaviour = read_behaviour(name)
        able = [controller for controller, entry in controller_entries().items() if entry.performs == "behaviours"]
        return f"{behaviour.title}; a behaviour of {behaviour.body}, for {' or '.join(able)}"
    if name not in shipped_names():
        title = " ".join((POSES[name].__doc__ or "").split()).rstrip(".")
        return title[:1].lower() + title[1:]
    bodies, title = shipped_dynamic_bodies(name), read_source(name).title
    if not bodies:
        return title
    return f"{title}; {shipped_motion_facts(shipped_dynamic(name, bodies[0]))}; for {', '.join(bodies)}"


def add(commands: Any) -> None:
    """Add `poise list` and its argument to the commands."""
    command = add_command(commands, "list", _run_list, "list everything that has a name", "poise list bodies")
    command.add_argument(
        "kind",
        nargs="?",
        default="all",
        help="bodies, motions, captures (see poise motions get), controllers, scripts (see poise animate), terrains, "
        "edits, formats, studies or all",
    )


def _run_list(chosen: argparse.Namespace) -> Report:
    found = names_by_kind()
    known_name("kind", chosen.kind, [*found, "all"])
    shown = found if chosen.kind == "all" else {chosen.kind: found[chosen.kind]}
    lines = []
    for kind, items in shown.items():
        width = max(map(len, items))
        lines += [f"{kind}:", *(f"  {name:{width}}  {what}" for name, what in items.items())]
    return Report("\n".join(lines), shown)
