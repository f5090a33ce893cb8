"""Contacts of authored motions: footprints, and pins that hold points of feet and hands while they are in contact."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise.arrays import Array, Mask, readonly, true_runs
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.surface import ContactPart, contact_parts, contact_spheres_of_body
from poise.library.authoring.source import KeyedSource
from poise.reference.body_clip import BodyClip
from poise.reference.supports import spheres_of_reference_part
from poise.retarget.figure import figure_of_body
from poise.retarget.foot_cleanup import FootSettings, clean_feet
from poise.retarget.footprints import Footprint, foot_of_link, footprints
from poise.rotations import quat_conjugate, quat_exp, quat_multiply, quat_rotate, yaw_of

_FRAME = 1e-6  # s, tolerance when comparing frame times with the ends of contact intervals


def footprints_of_authored_clip(clip: BodyClip, sure: Mask | None = None) -> list[Footprint]:
    """Return the best-fitting footprint of each contact of a foot, from heel strike to toe-off.

    In frames marked in `sure` (T,) feet are already in place. If a contact has such frames, its footprint is fitted to
    these frames only.
    """
    assert clip.down is not None
    fitted, spans = np.array(clip.down), {}
    for foot in clip.body.feet:
        mine = np.array([part.limb == foot.link for part in clip.parts])
        spans[foot.link] = true_runs(np.asarray(clip.down[:, mine].any(axis=1)))
        for start, stop in spans[foot.link]:
            known = np.zeros(stop - start, bool) if sure is None else sure[start:stop]
            if known.any():
                fitted[start:stop, mine] &= known[:, None]
    found: dict[tuple[str, int], Footprint] = {}
    for each in footprints(replace(clip, down=readonly(fitted, bool))):
        start, stop = next(span for span in spans[each.foot.link] if span[0] <= each.start < span[1])
        found.setdefault((each.foot.link, start), replace(each, start=start, stop=stop))
    return list(found.values())


def pin_feet_of_authored_clip(clip: BodyClip, firm: float, fade: float, sure: Mask | None = None) -> BodyClip:
    """The clip with stance feet pinned to their footprints; not smoothed, and without limits of joint speeds.

    `firm`: weight of vertical corrections of the pelvis relative to leg corrections. `fade` (s): corrections fade in
    and out over this time. `sure`: as in `footprints_of_authored_clip`.
    """
    settings = FootSettings(smoothing=None, peak=None, heave=firm, fade=fade, knee=1.0, swing=False)
    return clean_feet(clip, settings, footprints_of_authored_clip(clip, sure))


@dataclass(frozen=True, eq=False)
class KeyedSourcePins:
    """N points of links, and their positions while in contact. On a foot: the centres of the spheres of its sole."""

    points: tuple[tuple[str, Array], ...]  # N pairs: link, position (3,) m in the link's frame
    limbs: tuple[str, ...]  # N names: the limb of each point, such as left_foot or right_hand
    places: Array  # (T, N, 3) m, world
    down: Mask  # (T, N) whether each point is in contact

    def flights(self) -> list[tuple[int, int]]:
        """For each flight phase: the last frame before it and the first frame after it."""
        up = true_runs(np.logical_not(self.down.any(axis=1)))
        return [(start - 1, stop) for start, stop in up if start > 0 and stop < len(self.down)]

    def middle(self, frame: int) -> Array:
        """(3,) m: mean position of all points of the limbs in contact in a frame, so that lifted heels count."""
        bearing = {limb for limb, down in zip(self.limbs, self.down[frame], strict=True) if down}
        return np.asarray(self.places[frame, [limb in bearing for limb in self.limbs]].mean(axis=0))


def parts_down_in_source(body: Body, motion: KeyedSource, time: Array) -> Mask:
    """(T, P) whether the source declares each contact part down at times (T,) s."""
    columns = []
    for part in contact_parts(body):
        intervals = motion.contacts.get(_contact_word_of_source(part, motion), ())
        inside = [(time >= start - _FRAME) & (time <= end + _FRAME) for start, end in intervals]
        columns.append(np.any(inside, axis=0) if inside else np.zeros(len(time), bool))
    return np.stack(columns, axis=1)


def pins_of_keyed_source(body: Body, motion: KeyedSource, parts: Mask, first: Array) -> KeyedSourcePins:
    """Pins of the contact parts that are down (`parts` (T, P)). The `first` pose (nq,) places footprints and grips."""
    known, balls = contact_parts(body), contact_spheres_of_body(body)
    centres = [[centre for centre, _ in spheres_of_reference_part(body, part, balls)] for part in known]
    owner = [k for k, own in enumerate(centres) for _ in own]
    points = tuple((part.link, centre) for part, own in zip(known, centres, strict=True) for centre in own)
    if any(name.endswith("bar") for name in motion.contacts):
        here = LinkKinematics(body, points).at(first[None])[0][0]
        stay = here + (0.0, 0.0, motion.clearance * figure_of_body(body).leg - here[:, 2].min())
    else:
        pairs = zip(known, centres, strict=True)
        stay = np.concatenate([_pinned_points_of_source(body, part.link, own, first) for part, own in pairs])
    limbs = tuple(known[k].limb for k in owner)
    out = KeyedSourcePins(points, limbs, np.tile(stay, (len(parts), 1, 1)), parts[:, owner])
    for _, landing in out.flights():
        out.places[landing:, :, 0] += motion.travel * figure_of_body(body).leg
    return out


def _contact_word_of_source(part: ContactPart, motion: KeyedSource) -> str:
    """The name under which a source declares a part's contacts. Toes have the contacts of the ball of their foot."""
    side, kind = part.name.partition("_")[0], part.name.rpartition("_")[2]
    word = f"{side}_{'ball' if kind == 'tip' else kind}"
    return f"{side}_bar" if kind == "hand" and f"{side}_bar" in motion.contacts else word


def _pinned_points_of_source(body: Body, link: str, points: Sequence[Array], pose: Array) -> Array:
    """(k, 3) m: world positions of a link's points in a `pose` (nq,). A foot is placed flat on the ground."""
    foot = foot_of_link(body, link)
    kinematics = LinkKinematics(body, [(link, point) for point in points], [foot.link] if foot else [])
    (standing, here), turns = kinematics.at(np.stack([body.standing, pose]))
    if foot is None:
        return np.asarray(here)
    ankle, _ = LinkKinematics(body, [(foot.link, np.zeros(3))]).at(np.stack([body.standing, pose]))
    heading = yaw_of(quat_multiply(turns[1, 0], quat_conjugate(turns[0, 0])))
    flat = ankle[1, 0] * (1, 1, 0) + ankle[0, 0] * (0, 0, 1)
    return np.asarray(flat + quat_rotate(quat_exp(np.array([0.0, 0.0, heading])), standing - ankle[0, 0]))
