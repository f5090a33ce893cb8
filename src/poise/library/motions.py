"""The motions that ship with Poise, by name: authored sources, motions that obey physics, behaviours and poses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from poise.arrays import Array, readonly
from poise.body.assemble import body_names
from poise.body.body import Body
from poise.body.pose_space import displace_poses, planar_displacement, yaw_quat
from poise.edit.take import Take
from poise.errors import PoiseError, known_name
from poise.library.authoring.gait import sketch_of_gait_source
from poise.library.authoring.gait_change import sketch_of_change_source, sketch_of_pace_source
from poise.library.authoring.keyed import sketch_of_keyed_source
from poise.library.authoring.source import MotionSource, read_source, shipped_names
from poise.library.authoring.turn import sketch_of_turn_source
from poise.library.behaviours.behaviour import BehaviourReference
from poise.library.behaviours.files import behaviour_names, read_behaviour
from poise.physics.dynamic_motion import with_physics
from poise.physics.interior import OptimiserProgress, ignore_progress
from poise.physics.optimise import DynamicSettings, OptimisedMotion, end_state_of, optimise
from poise.physics.task import EndState
from poise.progress import Say, no_progress
from poise.reference.archive import load_reference
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.reference.played import Played
from poise.reference.reference import Reference, Still
from poise.reference.supports import Sketch
from poise.retarget.separation import separate_limbs
from poise.rotations import quat_rotate, yaw_of

_FOLDER = Path(__file__).parent / "shipped"
_ENDS = ("begins", "ends")  # source fields: names of the motions in whose first states a motion begins and ends
KINDS: dict[str, Callable[[MotionSource, Body], Sketch]] = {
    "change": sketch_of_change_source,
    "gait": sketch_of_gait_source,
    "keyed": sketch_of_keyed_source,
    "pace": sketch_of_pace_source,
    "turn": sketch_of_turn_source,
}
"""By kind of source: the function that builds a sketch from the source for a body."""


def motion_names() -> tuple[str, ...]:
    """Names of all shipped motions, behaviours and poses, sorted."""
    return tuple(sorted({*POSES, *shipped_names(), *behaviour_names()}))


def named_motion(name: str, body: Body) -> Reference:
    """A shipped motion as a reference, which obeys physics if Poise ships the optimised motion for this body."""
    known_name("motion", name, motion_names())
    if name in behaviour_names():
        return BehaviourReference(read_behaviour(name), body)
    reference = shipped_dynamic_for(name, body)
    if reference is not None:
        source = read_source(name)
        then = None  # the motion in whose first state this motion ends
        if "ends" in source.table and not reference.clip.cyclic:
            then = shipped_dynamic_for(source.table.text("ends"), body)
        return Played(reference.clip, reference, then=then)
    if name in POSES:
        return POSES[name](body)
    return Played(_separate_links(sketch_of_source(name, body)).clip)


def sketch_of_source(name_or_path: str | Path, body: Body) -> Sketch:
    """Build the motion that a source describes for a humanoid body: a shipped source, or the user's .toml file."""
    source = read_source(name_or_path)
    return KINDS[known_name(f"kind of motion in {source.path.name}", source.kind, KINDS)](source, body)


def _separate_links(sketch: Sketch) -> Sketch:
    """The sketch with links of the body that would overlap moved apart."""
    return replace(sketch, clip=separate_limbs(sketch.clip, sketch.supports).clip)


def shipped_dynamic_path(name: str, body: str) -> Path:
    """Path of the shipped file of a motion that obeys physics on a body. The file need not exist."""
    return _FOLDER / body / f"{name}.npz"


def shipped_dynamic_bodies(name: str) -> tuple[str, ...]:
    """Names of the bodies on which the motion, as it ships with Poise, obeys physics."""
    return tuple(body for body in body_names() if shipped_dynamic_path(name, body).is_file())


def shipped_dynamic(name: str, body: str) -> Dynamic:
    """Load a shipped motion that obeys physics on a body."""
    _, found = load_reference(shipped_dynamic_path(name, body))
    if found is None:
        raise PoiseError(f"motion '{name}' does not obey physics on body '{body}': run `poise motions build {name}`")
    return found


def shipped_dynamic_for(name: str, body: Body) -> Dynamic | None:
    """Load a shipped motion that obeys physics on exactly this body; None if there is none, as for a scaled body."""
    ships = body.name in shipped_dynamic_bodies(name) and Body.named(body.name).mjcf == body.mjcf
    return shipped_dynamic(name, body.name) if ships else None


def shipped_motions_in_build_order(wanted: Sequence[str]) -> list[str]:
    """Sort names of motions: the motions in which others begin or end come first."""
    joined = {name for each in wanted for name in shipped_motions_joined_by(each)}
    return [name for name in wanted if name in joined] + [name for name in wanted if name not in joined]


def shipped_motions_joined_by(name_or_path: str | Path) -> tuple[str, ...]:
    """Names of the motions in whose first states a motion begins and ends; only those that its source names."""
    source = read_source(name_or_path)
    return tuple(source.table.text(field) for field in _ENDS if field in source.table)


def build_shipped_motion(
    name_or_path: str | Path,
    body: Body,
    settings: DynamicSettings | None = None,
    watch: Callable[[OptimiserProgress], None] = ignore_progress,
) -> OptimisedMotion:
    """Author a motion and make it obey physics on a body. It begins and ends in states of the motions that it joins."""
    source = read_source(name_or_path)
    joined = _states_joined_by_source(source, body, settings)
    authored = sketch_of_source(name_or_path, body)  # separation displaces the root a little; joined states must not be
    names = {field: source.table.text(field) for field in _ENDS if field in source.table}
    start, end = (
        None if (name := names.get(field)) is None else _joined_state_moved_to(joined[name], authored.clip.qpos[frame])
        for field, frame in zip(_ENDS, (0, -1), strict=True)
    )
    at_rest = source.kind == "keyed" and not authored.clip.cyclic
    return optimise(_separate_links(authored), settings, start=start, end=end, rest=(at_rest, at_rest), watch=watch)


def _states_joined_by_source(
    source: MotionSource, body: Body, settings: DynamicSettings | None
) -> dict[str, tuple[BodyClip, EndState]]:
    """By name of each motion that the source joins: its authored clip, and the first state of the optimised motion."""
    out = {}
    for field in _ENDS:
        if field not in source.table or source.table.text(field) in out:
            continue
        other = source.other(field)
        if shipped_motions_joined_by(other.path):
            raise source.table.fail(f"'{field}' must name a motion that joins no others, but {other.name} does", field)
        ours = other.path == _FOLDER / f"{other.name}.toml"
        motion = shipped_dynamic_for(other.name, body) if ours else None
        motion = motion or build_shipped_motion(other.path, body, settings).dynamic
        out[source.table.text(field)] = sketch_of_source(other.path, body).clip, end_state_of(motion, 0)
    return out


def _joined_state_moved_to(joined: tuple[BodyClip, EndState], where: Array) -> EndState:
    """Move a state along the ground by the displacement that takes the clip's first pose to the pose `where` (nq,)."""
    clip, state = joined
    yaw, way = planar_displacement(clip.qpos[0], where)
    turn = yaw_quat(yaw)
    pose, before = (readonly(displace_poses(each, turn, way)) for each in (state.qpos, state.before))
    velocity = np.array(state.root_velocity)
    velocity[:3] = quat_rotate(turn, velocity[:3])
    return replace(state, qpos=pose, before=before, root_velocity=readonly(velocity))


@dataclass(frozen=True)
class MotionFacts:
    """Duration, speed and contacts of a motion, for lists of motions."""

    seconds: float  # duration, of one cycle if cyclic
    cyclic: bool
    speed: float  # m/s, mean over the ground
    contacts: tuple[str, ...]  # "feet", "hands", "body", "hands on a bar": what carries the body at some time
    airborne: float  # share of the time without contact, 0 to 1

    def __str__(self) -> str:
        flight = f", {100 * self.airborne:.0f} % in the air" if self.airborne else ""
        pace = f"{self.seconds:.2f} s{' a cycle' if self.cyclic else ''}, {self.speed:.2f} m/s"
        return f"{pace}, contacts: {', '.join(self.contacts) or 'none'}{flight}"


def shipped_motion_facts(motion: Dynamic) -> MotionFacts:
    """Measure duration, speed and contacts of a motion."""
    clip, contacts = motion.clip, motion.contacts
    bearing = zip(contacts.links, contacts.held, np.asarray(contacts.down.any(axis=0)), strict=True)
    words = [_limb_of_listed_motion(clip, link, bool(held)) for link, held, ever in bearing if ever]
    airborne = float(1 - contacts.down.any(axis=1).mean())
    return MotionFacts(clip.seconds, clip.cyclic, _speed_of_listed_motion(clip), tuple(dict.fromkeys(words)), airborne)


def _limb_of_listed_motion(clip: BodyClip, link: str, held: bool) -> str:
    """The kind of limb that a link belongs to: "feet", "hands" or "body"; with "on a bar" if the link is `held`."""
    limb = next((part.limb for part in clip.parts if part.link == link), None)
    hands = {hand.link for hand in clip.body.hands}
    word = "body" if limb is None else "hands" if limb in hands else "feet"
    return f"{word} on a bar" if held else word


def _speed_of_listed_motion(clip: BodyClip) -> float:
    """Mean speed (m/s): the larger of distance along the facing direction and straight-line distance, per second.

    The first distance counts turns in full, the second counts sideways rolls.
    """
    step = np.diff(clip.qpos[:, :2], axis=0)  # (T-1, 2) m
    yaw = yaw_of(clip.qpos[:-1, 3:7])
    ahead = float(np.sum(step[:, 0] * np.cos(yaw) + step[:, 1] * np.sin(yaw)))
    straight = float(np.linalg.norm(step.sum(axis=0)))
    return max(abs(ahead), straight) / clip.seconds if clip.seconds else 0.0


def dynamic_reference(reference: Reference, body: Body, ships: bool, say: Say = no_progress) -> Reference:
    """The reference itself if it obeys physics, else a version of the reference that does.

    `ships`: whether the motion ships with Poise. Then it is built from its source, which tells more than the clip.
    """
    if reference.motions:
        return reference
    say(f"making {reference.name} obey physics")

    def watch(now: OptimiserProgress) -> None:
        if now.iteration and now.iteration % 5 == 0:
            most = DynamicSettings().search.iterations
            say(f"making {reference.name} obey physics: {now.iteration} iterations of at most {most}")

    if isinstance(reference, Take):
        motion = with_physics(reference.cycle or reference.clip(), watch=watch).dynamic
    elif ships and reference.name in shipped_names():
        motion = build_shipped_motion(reference.name, body, watch=watch).dynamic
    elif isinstance(reference, Played):
        motion = with_physics(reference.clip, watch=watch).dynamic
    elif isinstance(reference, BehaviourReference):
        raise PoiseError(f"'{reference.name}' is a behaviour: perform it with its own controller, rotation")
    else:
        raise PoiseError(f"'{reference.name}' is a pose, not a motion that can obey physics")
    return Played(motion.clip, motion)


def stand_motion(body: Body) -> Still:
    """The standing pose, at rest."""
    return Still("stand", np.array(body.standing), np.zeros(body.nv))


def fall_motion(body: Body) -> Still:
    """The standing pose on a high place, toppling forward about the feet with a slight roll and yaw rate."""
    velocity = np.zeros(body.nv)
    topple = 1.6  # rad/s about the soles
    velocity[0] = topple * body.standing[2]
    velocity[3:6] = (0.3, topple, 0.4)
    return Still("fall", np.array(body.standing), velocity, start="summit")


POSES = {"stand": stand_motion, "fall": fall_motion}  # Motions that are a single pose and suit any body
