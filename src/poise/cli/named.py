"""What commands that take files take besides: folders of performances, and motions that come with Poise, by name."""

from __future__ import annotations

from pathlib import Path


def source_file(given: Path) -> Path:
    """The recording in the folder of a performance, or the reference of a motion by name; else the path as it is."""
    from poise.reference.authoring import shipped_names
    from poise.reference.shipping import finished_bodies, finished_path
    from poise.session import FILES

    recording, name = given / FILES[0], str(given)
    if recording.is_file():
        return recording
    if given.is_file() or name not in shipped_names():
        return given
    return next((finished_path(name, body) for body in finished_bodies(name)), given)
