"""Motions that come with Poise, for commands that take files."""

from __future__ import annotations

from pathlib import Path


def reference_file(given: Path) -> Path:
    """The reference of a motion that comes with Poise, if it is named and no file is; else the path as it is."""
    from poise.reference.authoring import shipped_names
    from poise.reference.shipping import finished_bodies, finished_path

    name = str(given)
    if given.is_file() or name not in shipped_names():
        return given
    return next((finished_path(name, body) for body in finished_bodies(name)), given)
