"""What there is to say about a motion in a line: how long, how fast, on what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.reference.bodyclip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.spatial import yaw_of


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
