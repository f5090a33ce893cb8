"""Prepare a motion file for a body: import, retarget, find contacts, fix the feet, move overlapping links apart."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array, Frozen, brief_repr, readonly
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.self_contact import SelfDistances
from poise.errors import PoiseError
from poise.motion.clip import Clip
from poise.motion.repair.finding import Finding, Imported, ImportSettings
from poise.motion.repair.importer import import_motion
from poise.progress import Say, no_progress
from poise.reference.archive import is_prepared
from poise.reference.body_clip import BodyClip
from poise.retarget.contact_detection import find_contacts
from poise.retarget.foot_cleanup import FootSettings, clean_feet
from poise.retarget.retarget import Retargeted, retarget, same_skeleton
from poise.retarget.separation import separate_limbs
from poise.rotations import quat_conjugate, quat_exp, quat_multiply, quat_rotate, yaw_of


@dataclass(frozen=True)
class Prepared:
    """A motion that is ready to be performed, and the results of all stages of preparation."""

    clip: BodyClip
    imported: Imported
    source: Clip  # the part of the imported motion that was prepared
    retargeted: Retargeted
    cleaned: Mapping[str, float]  # by link, m: root mean square distance by which foot cleanup moved the link
    notes: tuple[str, ...] = ()  # what edits found and did, a sentence each

    def as_dict(self) -> dict[str, Any]:
        """A report on all stages as JSON values."""
        clip = self.clip
        shares = [] if clip.down is None else clip.down.mean(axis=0).tolist()  # of the frames, by contact part
        return {
            "body": clip.body.name,
            "mass_kg": clip.body.mass,
            "frames": clip.frames,
            "rate": clip.rate,
            "seconds": clip.seconds,
            "cyclic": clip.cyclic,
            "findings": self.imported.as_dict(),
            "retarget_error_m": dict(self.retargeted.error),
            "retarget_error_deg": dict(self.retargeted.turn_error),
            "cleaned_m": dict(self.cleaned),
            "contacts": {part.name: share for part, share in zip(clip.parts, shares, strict=False)},
        }

    __repr__ = brief_repr


def prepare(
    path: str | Path,
    body: Body | None = None,
    *,
    imports: ImportSettings | None = None,
    feet: FootSettings | None = None,
    mass: float | None = None,
    symmetric: bool = False,
    span: tuple[float, float] | None = None,
    say: Say = no_progress,
) -> Prepared:
    """Prepare a motion file for `body`; without `body`, for a body of `mass` (kg) built from the file's skeleton.

    Such a body has legs of their own length, left and right, unless it is to be `symmetric`.

    `span` (s) selects a part of the motion. The result starts above the origin, facing +x. `say` is told each stage.
    """
    path = Path(path)
    if is_prepared(path):
        raise PoiseError(f"{path} is already prepared: perform or export it as it is")
    say(f"reading {path.name}")
    imported = import_motion(path, imports or ImportSettings())
    source = imported.clip if span is None else _clip_span(imported.clip, span, path.name)
    built = body is None
    if body is None:
        try:
            body = Body.from_skeleton(
                source.skeleton, mass=mass, rate=source.rate, name=source.name, symmetric=symmetric
            )
        except PoiseError as error:
            raise PoiseError(f"{path.name}: {error}") from None
    say(f"retargeting {source.frames} frames to {body.name}")
    retargeted = retarget(source, body)
    if built:
        narrow, trunk = fit_trunk_breadth(retargeted.clip, mass, symmetric)
        imported = replace(imported, findings=(*imported.findings, trunk))
        retargeted = replace(retargeted, clip=narrow)
    say("finding contacts")
    touching = find_contacts(retargeted.clip)
    say("cleaning feet")
    clean = clean_feet(touching, feet or FootSettings())
    say("moving overlapping links apart")
    apart = separate_limbs(clean, move=imports is None or imports.overlap != "keep")
    imported = replace(imported, findings=(*imported.findings, apart.finding()))
    cleaned = Frozen(_link_displacements(touching, clean))
    placed = _with_file_place(clip_at_origin(apart.clip), apart.clip.qpos[0], source)
    return Prepared(placed, imported, source, retargeted, cleaned)


def _clip_span(clip: Clip, span: tuple[float, float], name: str) -> Clip:
    """The part of the clip within `span` (s). `name` is the file's name in the error if the span is not in the clip."""
    start, end = span
    if 0 <= start < end <= clip.seconds + 0.5 / clip.rate:  # also false for NaN
        first, last = (round(t * clip.rate) for t in span)
        if first < last < clip.frames:
            return clip.cut(first, last + 1)
    raise PoiseError(f"{name}: {start:g} to {end:g} s is not within its {clip.seconds:.2f} s")


def _link_displacements(before: BodyClip, after: BodyClip) -> dict[str, float]:
    """By link: root mean square, over the frames, of the link's distance (m) between the two clips."""
    links = before.body.links
    places = LinkKinematics(before.body, [(link, np.zeros(3)) for link in links])
    far = np.linalg.norm(places.at(after.qpos)[0] - places.at(before.qpos)[0], axis=-1)
    return dict(zip(links, np.sqrt(np.mean(far**2, axis=0)).tolist(), strict=True))


def clip_at_origin(clip: BodyClip) -> BodyClip:
    """The clip moved along the ground so that it starts above the origin, facing +x."""
    turn = quat_conjugate(quat_exp(np.array([0.0, 0.0, float(yaw_of(clip.qpos[0, 3:7]))])))
    qpos = np.array(clip.qpos)
    qpos[:, :2] -= clip.qpos[0, :2]
    qpos[:, :3] = quat_rotate(turn, qpos[:, :3])
    qpos[:, 3:7] = quat_multiply(turn, qpos[:, 3:7])
    return replace(clip, qpos=readonly(qpos))


def _with_file_place(clip: BodyClip, first: Array, source: Clip) -> BodyClip:
    """The clip on a body that remembers the motion's place in its file, if it has the skeleton of the `source`."""
    rigging = clip.body.rigging
    if rigging is None or not same_skeleton(rigging.skeleton, source.skeleton):
        return clip
    x, y, yaw = *map(float, first[:2]), float(yaw_of(first[3:7]))
    convention = source.skeleton.convention
    place = replace(convention.place, x=x, y=y, yaw=yaw)
    skeleton = replace(rigging.skeleton, convention=replace(convention, place=place))
    return replace(clip, body=replace(clip.body, rigging=replace(rigging, skeleton=skeleton)))


def import_changes(imported: Imported) -> list[str]:
    """Lines of text that name what the import changed in the motion."""
    done = {finding.name: finding.done for finding in imported.findings if finding.done != "nothing"}
    width = max(map(len, done), default=0)
    return ["imported (poise prepare --report tells why):", *(f"  {name:{width}}  {done[name]}" for name in done)]


_USUAL = 95.0  # Percentile of the frames in which the arms must have room: rarer overlaps are not those of hanging arms
_NARROWEST = 0.6  # of the breadth by the tables
_LITTLE = 0.02  # a smaller change of the breadth is none
_ROUNDS = 4  # most changes: a narrower trunk leaves room for pairs of links that overlap in the standing pose before


def fit_trunk_breadth(clip: BodyClip, mass: float | None = None, symmetric: bool = False) -> tuple[BodyClip, Finding]:
    """The clip on a body whose trunk is as narrow as its arms show, and the finding; see `Body.from_skeleton`."""
    rigging, breadth = clip.body.rigging, 1.0
    assert rigging is not None
    for _ in range(_ROUNDS):
        share = _room_for_arms(clip)
        if share > 1.0 - _LITTLE or breadth == _NARROWEST:
            break
        breadth = max(breadth * share, _NARROWEST)
        skeleton = replace(rigging.skeleton, breadth=breadth)
        body = Body.from_skeleton(skeleton, mass=mass, rate=rigging.rate, name=clip.body.name, symmetric=symmetric)
        clip = replace(clip, body=body)
    if breadth == 1.0:
        return clip, Finding("trunk", "the arms keep clear of the trunk", "nothing", "", 1.0)
    found = f"arms hang nearer to the trunk than those of a usual person, by {100 * (1 - breadth):.0f} % of its breadth"
    return clip, Finding("trunk", found, "the body's trunk is narrower", "", breadth)


def _room_for_arms(clip: BodyClip) -> float:
    """Share of the trunk's breadth that leaves room for arms, by the sideways part of their overlap in each frame."""
    distances = SelfDistances(clip.body, 0.0)
    groups = {joint.link: joint.group for joint in clip.body.joints} | {clip.body.joints[0].link: "trunk"}
    pairs = [[groups.get(link, "") for link in distances.links(k)] for k in range(len(distances.pairs))]
    trunk_first = np.array([first == "trunk" and second.endswith("arm") for first, second in pairs], bool)
    trunk_last = np.array([second == "trunk" and first.endswith("arm") for first, second in pairs], bool)
    near = distances.at(clip.qpos, (trunk_first | trunk_last) & distances.apart, moves=False)
    turned = quat_multiply(clip.qpos[:, 3:7], quat_conjugate(clip.body.standing[3:7]))
    left = quat_rotate(turned, np.array([0.0, 1.0, 0.0]))
    sideways = np.abs(np.einsum("ki,ki->k", near.normal, left[near.frame])) * np.maximum(-near.distance, 0.0)
    share = np.ones(clip.frames)
    np.minimum.at(share, near.frame, 1.0 - sideways / distances.half_lengths(trunk_first)[near.pair])
    return float(np.percentile(share, 100.0 - _USUAL))
