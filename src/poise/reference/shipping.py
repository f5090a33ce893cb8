"""The motions that come with Poise: from their sources to references that obey physics, and back from file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from poise.body import Body, names
from poise.body.carrying import advance, carried, heading
from poise.errors import PoiseError
from poise.frozen import Array, readonly
from poise.optimize.interior import Progress, unwatched
from poise.optimize.task import EndState
from poise.reference.archive import load_reference
from poise.reference.authoring import Source, author, read_source
from poise.reference.bodyclip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.reference.optimising import DynamicSettings, Optimised, optimise, state_of
from poise.spatial import quat_rotate

_FOLDER = Path(__file__).parent / "shipped"
_ENDS = ("begins", "ends")  # fields of sources that name a motion in whose first state they do


def finished_path(name: str, body: str) -> Path:
    """Where the finished reference of a motion for a body is kept."""
    return _FOLDER / body / f"{name}.npz"


def finished_bodies(name: str) -> tuple[str, ...]:
    """Bodies for which a motion's reference comes with Poise."""
    return tuple(body for body in names() if finished_path(name, body).is_file())


def finished(name: str, body: str) -> Dynamic:
    """The reference that comes with Poise."""
    _, found = load_reference(finished_path(name, body))
    if found is None:
        raise PoiseError(f"motion '{name}' has no finished reference for body '{body}': poise motions build {name}")
    return found


def finished_for(name: str, body: Body) -> Dynamic | None:
    """The reference that comes with Poise for this very body, if there is one: a scaled body is another."""
    ships = body.name in finished_bodies(name) and Body.named(body.name).mjcf == body.mjcf
    return finished(name, body.name) if ships else None


def in_order(wanted: Sequence[str]) -> list[str]:
    """Motions so that those that others join come before them."""
    joined = {name for each in wanted for name in joins(each)}
    return [name for name in wanted if name in joined] + [name for name in wanted if name not in joined]


def joins(name_or_path: str | Path) -> tuple[str, ...]:
    """The motions in whose states a motion begins and ends, where it says so."""
    source = read_source(name_or_path)
    return tuple(source.text(field) for field in _ENDS if field in source.table)


def follower(name: str) -> str | None:
    """The motion in whose first state a motion ends, where its source says so."""
    source = read_source(name)
    return source.text("ends") if "ends" in source.table else None


def build(
    name_or_path: str | Path,
    body: Body,
    settings: DynamicSettings | None = None,
    watch: Callable[[Progress], None] = unwatched,
) -> Optimised:
    """The motion of a source made to obey physics on a body; motions that it joins are built first."""
    source = read_source(name_or_path)
    joined = _joined(source, body, settings)
    sketch = author(name_or_path, body)
    start, end = (
        _placed(joined[source.text(field)], sketch.clip.qpos[frame]) if field in source.table else None
        for field, frame in zip(_ENDS, (0, -1), strict=True)
    )
    clip = sketch.clip
    at_rest = source.kind == "keyed" and not clip.cyclic
    return optimise(sketch, settings, start=start, end=end, rest=(at_rest, at_rest), watch=watch)


def _joined(source: Source, body: Body, settings: DynamicSettings | None) -> dict[str, tuple[BodyClip, EndState]]:
    """The motions that a source joins, by name: each as it was authored, and its first state as it is."""
    out = {}
    for field in _ENDS:
        if field not in source.table or source.text(field) in out:
            continue
        other = source.other(field)
        if joins(other.path):
            raise source.fail(f"'{field}' must name a motion that joins no others, and {other.name} does")
        ours = other.path == _FOLDER / f"{other.name}.toml"
        motion = finished_for(other.name, body) if ours else None
        motion = motion or build(other.path, body, settings).dynamic
        out[source.text(field)] = author(other.path, body).clip, state_of(motion, 0)
    return out


def _placed(joined: tuple[BodyClip, EndState], where: Array) -> EndState:
    """A state carried along the ground as the first authored pose of its motion would be carried to `where`."""
    clip, state = joined
    yaw, way = advance(clip.qpos[0], where)
    turn = heading(yaw)
    pose, before = (readonly(carried(each, turn, way)) for each in (state.qpos, state.before))
    velocity = np.array(state.root_velocity)
    velocity[:3] = quat_rotate(turn, velocity[:3])
    return replace(state, qpos=pose, before=before, root_velocity=readonly(velocity))
