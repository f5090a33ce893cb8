"""What there is to choose from, by kind and name."""

from __future__ import annotations


def catalogue() -> dict[str, dict[str, str]]:
    """Kind: {name: what it is}."""
    from poise.body import Body, names
    from poise.control import CONTROLLERS
    from poise.export import FORMATS
    from poise.library import cmu
    from poise.reference import MOTIONS
    from poise.reference.edit.forms import EDIT_FORMS
    from poise.world.forms import TERRAIN_FORMS

    bodies = {}
    for name in names():
        body = Body.named(name)
        bodies[name] = f"{body.nv - 6} joint DOF and the root's 6, {len(body.links)} links, {body.mass:.1f} kg"
    return {
        "bodies": bodies,
        "motions": {name: " ".join((make.__doc__ or "").split()) for name, make in MOTIONS.items()},
        "captures": {name: f"{of.what}, {of.seconds:g} s" for name, of in cmu().captures.items()},
        "controllers": {name: what for name, (_, _, what) in CONTROLLERS.items()},
        "terrains": dict(TERRAIN_FORMS),
        "edits": dict(EDIT_FORMS.values()),
        "formats": {name: form.what for name, form in FORMATS.items()},
    }
