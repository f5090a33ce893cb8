"""The motions that come with Poise, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from poise.arrays import Array, readonly
from poise.body.body import Body
from poise.body.carriage import advance, carried, heading
from poise.body.catalogue import names
from poise.edit.take import Take
from poise.errors import PoiseError, unknown
from poise.library.authoring.author import author
from poise.library.authoring.source import MotionSource, read_source, shipped_names
from poise.library.behaviours.behaviour import BehaviourReference
from poise.physics.consistent import with_physics
from poise.physics.interior import Progress, unwatched
from poise.physics.sketch import DynamicSettings, Optimised, optimise, state_of
from poise.physics.task import EndState
from poise.progress import Say, in_silence
from poise.reference.archive import load_reference
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.reference.played import Played
from poise.reference.reference import Reference, Still
from poise.rotations import quat_rotate, yaw_of

# The motions that come with Poise: from their sources to references that obey physics, and back from file.

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


def dependencies_first(wanted: Sequence[str]) -> list[str]:
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


def build_motion(
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


def _joined(source: MotionSource, body: Body, settings: DynamicSettings | None) -> dict[str, tuple[BodyClip, EndState]]:
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
        motion = motion or build_motion(other.path, body, settings).dynamic
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


# What there is to say about a motion in a line: how long, how fast, on what.


@dataclass(frozen=True)
class Facts:
    """A motion in numbers and words."""

    seconds: float  # of a cycle, if it is one
    cyclic: bool
    speed: float  # m/s over the ground, on average
    contacts: tuple[str, ...]  # feet, hands, body, hands on a bar: what ever bears it
    airborne: float  # 0 to 1: share of the time in which nothing does

    def __str__(self) -> str:
        """For a list."""
        flight = f", {100 * self.airborne:.0f} % in the air" if self.airborne else ""
        return (
            f"{self.seconds:.2f} s{' a cycle' if self.cyclic else ''}, {self.speed:.2f} m/s, "
            f"contacts: {', '.join(self.contacts) or 'none'}{flight}"
        )


def facts_of(motion: Dynamic) -> Facts:
    """The facts of a motion."""
    clip, contacts = motion.clip, motion.contacts
    bearing = zip(contacts.links, contacts.held, np.asarray(contacts.down.any(axis=0)), strict=True)
    words = [_word(clip, link, bool(held)) for link, held, ever in bearing if ever]
    airborne = float(1 - contacts.down.any(axis=1).mean())
    return Facts(clip.seconds, clip.cyclic, _speed(clip), tuple(dict.fromkeys(words)), airborne)


def _word(clip: BodyClip, link: str, held: bool) -> str:
    """The kind of limb that a link belongs to, and what it is on."""
    limb = next((part.limb for part in clip.parts if part.link == link), None)
    hands = {hand.name for hand in clip.body.hands}
    word = "body" if limb is None else "hands" if limb in hands else "feet"
    return f"{word} on a bar" if held else word


def _speed(clip: BodyClip) -> float:
    """Along where the body faces, so that turns count; or straight from start to end, for those who roll sideways."""
    step = np.diff(clip.qpos[:, :2], axis=0)  # (T-1, 2) m
    yaw = yaw_of(clip.qpos[:-1, 3:7])
    ahead = float(np.sum(step[:, 0] * np.cos(yaw) + step[:, 1] * np.sin(yaw)))
    straight = float(np.linalg.norm(step.sum(axis=0)))
    return max(abs(ahead), straight) / clip.seconds if clip.seconds else 0.0


# Any reference made to obey physics, for controllers that need torques and forces.


def obeying(reference: Reference, body: Body, ships: bool, say: Say = in_silence) -> Reference:
    """The reference itself if it obeys physics; else the like of it that torques and contacts bring about.

    One that `ships` with Poise is built from its source, which knows more than its clip.
    """
    if reference.motions:
        return reference
    say(f"making {reference.name} obey physics")
    if isinstance(reference, Take):
        motion = with_physics(reference.cycle or reference.clip()).dynamic
    elif ships and reference.name in shipped_names():
        motion = build_motion(reference.name, body).dynamic
    elif isinstance(reference, Played):
        motion = with_physics(reference.clip).dynamic
    elif isinstance(reference, BehaviourReference):
        raise PoiseError(f"'{reference.name}' is a behaviour, not a motion: perform it with --controller rotation")
    else:
        raise PoiseError(f"'{reference.name}' is a pose, not a motion that can obey physics")
    return Played(motion.clip, motion)


def stand(body: Body) -> Still:
    """The standing pose, at rest."""
    return Still("stand", np.array(body.standing), np.zeros(body.nv))


def fall(body: Body) -> Still:
    """Standing at a high place and losing balance forward: toppling about the feet, turning a little."""
    height = body.standing[2]
    velocity = np.zeros(body.nv)
    topple = 1.6  # rad/s about the soles
    velocity[0] = topple * height
    velocity[3:6] = (0.3, topple, 0.4)
    return Still("fall", np.array(body.standing), velocity, start="summit")


POSES = {"stand": stand, "fall": fall}
"""Motions that are a pose, for any body at all."""


def motion_names() -> tuple[str, ...]:
    """All that there are."""
    from poise.library.authoring.source import shipped_names
    from poise.library.behaviours.files import behaviour_names

    return tuple(sorted({*POSES, *shipped_names(), *behaviour_names()}))


def named_motion(name: str, body: Body) -> Reference:
    """A motion that comes with Poise, for a body.

    It obeys physics where a finished reference for the body comes with Poise; otherwise it is as its source has it.
    """
    from poise.library.authoring.author import author
    from poise.library.behaviours.behaviour import BehaviourReference
    from poise.library.behaviours.files import behaviour_names, read_behaviour
    from poise.reference.played import Played

    if name not in motion_names():
        raise unknown("motion", name, motion_names())
    if name in behaviour_names():
        return BehaviourReference(read_behaviour(name), body)
    reference = finished_for(name, body)
    if reference is not None:
        after = None if reference.clip.cyclic else follower(name)
        return Played(reference.clip, reference, then=finished_for(after, body) if after else None)
    if name in POSES:
        return POSES[name](body)
    return Played(author(name, body).clip)
