"""What there is to choose from, by kind and name."""

from __future__ import annotations


def catalogue() -> dict[str, dict[str, str]]:
    """Kind: {name: what it is}."""
    from poise.animation import shipped_titles
    from poise.body import Body, names
    from poise.control import CONTROLLERS
    from poise.export import FORMATS
    from poise.library import cmu
    from poise.reference.edit.forms import EDIT_FORMS
    from poise.study.catalogue import STUDIES
    from poise.world.forms import TERRAIN_FORMS

    bodies = {}
    for name in names():
        body = Body.named(name)
        bodies[name] = f"{body.nv - 6} joint DOF and the root's 6, {len(body.links)} links, {body.mass:.1f} kg"
    return {
        "bodies": bodies,
        "motions": motions(),
        "captures": {name: f"{of.what}, {of.seconds:g} s" for name, of in cmu().captures.items()},
        "controllers": {name: entry.what for name, entry in CONTROLLERS.items()},
        "scripts": shipped_titles(),
        "terrains": dict(TERRAIN_FORMS),
        "edits": dict(EDIT_FORMS.values()),
        "formats": {name: form.what for name, form in FORMATS.items()},
        "studies": {name: f"{study.title}: {study.reproduces}" for name, study in STUDIES.items()},
    }


def motions() -> dict[str, str]:
    """Name: what it is, how long and fast, on what, and for which bodies it was made to obey physics."""
    from poise.reference.motions import motion_names

    return {name: _told(name) for name in motion_names()}


def _told(name: str) -> str:
    from poise.reference.authoring import read_source, shipped_names
    from poise.reference.behaviours import behaviour_names, read_behaviour
    from poise.reference.facts import facts_of
    from poise.reference.motions import POSES
    from poise.reference.shipping import finished, finished_bodies

    if name in behaviour_names():
        behaviour = read_behaviour(name)
        return f"{behaviour.title}; a behaviour of {behaviour.body}, for rotation"
    if name not in shipped_names():
        said = " ".join((POSES[name].__doc__ or "").split()).rstrip(".")
        return said[:1].lower() + said[1:]
    bodies, title = finished_bodies(name), read_source(name).title
    return f"{title}; {facts_of(finished(name, bodies[0]))}; for {', '.join(bodies)}" if bodies else title
