"""From a motion file to a motion of a body: import, retarget, find contacts, clean feet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.body import Body
from poise.errors import PoiseError
from poise.frozen import readonly
from poise.motion.repair import Imported, ImportSettings, import_motion
from poise.reference.bodyclip import BodyClip
from poise.reference.contacts import find_contacts
from poise.reference.feet import FootSettings, clean_feet
from poise.reference.retarget import Retargeted, retarget
from poise.spatial import quat_conjugate, quat_exp, quat_multiply, quat_rotate, yaw_of


@dataclass(frozen=True)
class Prepared:
    """A motion ready to be performed, and what was found and done on the way."""

    clip: BodyClip
    imported: Imported
    retargeted: Retargeted

    def as_dict(self) -> dict[str, Any]:
        """The report as plain values."""
        clip = self.clip
        return {
            "body": clip.body.name,
            "frames": clip.frames,
            "rate": clip.rate,
            "seconds": clip.seconds,
            "findings": self.imported.as_dict(),
            "retarget_error": dict(self.retargeted.error),
            "contacts": contact_shares(clip),
        }


def prepare(
    path: str | Path,
    body: Body | None = None,
    *,
    imports: ImportSettings | None = None,
    feet: FootSettings | None = None,
    mass: float | None = None,
    span: tuple[float, float] | None = None,
) -> Prepared:
    """A motion file on a body; without one, on a body built for the file's own skeleton, of `mass` kg.

    `span` (s) picks a part of the motion. It starts above the origin, facing +x.
    """
    imported = import_motion(path, imports or ImportSettings())
    source = imported.clip
    if span is not None:
        first, last = (round(t * source.rate) for t in span)
        if not 0 <= first < last < source.frames:
            raise PoiseError(
                f"{Path(path).name}: the part from {span[0]} to {span[1]} s is not within its {source.seconds:.2f} s"
            )
        source = source.cut(first, last + 1)
    if body is None:
        body = Body.from_skeleton(source.skeleton, mass=mass, rate=source.rate, name=source.name)
    retargeted = retarget(source, body)
    clip = clean_feet(find_contacts(retargeted.clip), feet or FootSettings())
    return Prepared(at_origin(clip), imported, retargeted)


def at_origin(clip: BodyClip) -> BodyClip:
    """The clip moved along the ground so that it starts above the origin, facing +x."""
    turn = quat_conjugate(quat_exp(np.array([0.0, 0.0, float(yaw_of(clip.qpos[0, 3:7]))])))
    qpos = np.array(clip.qpos)
    qpos[:, :2] -= clip.qpos[0, :2]
    qpos[:, :3] = quat_rotate(turn, qpos[:, :3])
    qpos[:, 3:7] = quat_multiply(turn, qpos[:, 3:7])
    return replace(clip, qpos=readonly(qpos))


def contact_shares(clip: BodyClip) -> dict[str, float]:
    """How much of the time each part bears on something, 0 to 1."""
    if clip.down is None:
        return {}
    return {part.name: float(share) for part, share in zip(clip.parts, clip.down.mean(axis=0), strict=True)}
