"""Lines of text on the quality of a retargeted motion: errors, clean-up and contacts."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from poise.reference.body_clip import BodyClip
from poise.retarget.retarget import Retargeted

_EXACT = 1e-3  # Retargeting error (m, rad) below which the result is reported as exact


def retargeting_line(retargeted: Retargeted) -> str:
    """A line on the retargeting error: root mean square over the frames, of the worst part."""
    if _exact(retargeted):
        return "retargeting: every joint where the file has it"
    (place, far), (turn, off) = _worst(retargeted.error), _worst(retargeted.turn_error)
    turned = f", {_words(turn)} {off:.1f} degrees off" if retargeted.turn_error else ""
    return f"retargeting: {_words(place)} {100 * far:.1f} cm off{turned}, all else less"


def error_table(retargeted: Retargeted) -> list[str]:
    """Lines with the root-mean-square retargeting error of every part, and an empty line."""
    if _exact(retargeted):
        return []
    places = {part: f"{100 * error:.2f} cm" for part, error in retargeted.error.items()}
    turns = {part: f"{error:.2f} degrees" for part, error in retargeted.turn_error.items()}
    parts = dict.fromkeys([*places, *turns])
    width = max(map(len, parts), default=0)
    rows = [f"  {_words(p):{width}} {places.get(p, ''):>9} {turns.get(p, ''):>15}".rstrip() for p in parts]
    return ["retargeting error of each part, root mean square over the frames", *rows, ""]


def cleaning_line(cleaned: Mapping[str, float]) -> str:
    """A line on how far foot clean-up and smoothing moved the links."""
    link, far = _worst(cleaned)
    return f"cleaning: {_words(link)} moved most, {100 * far:.1f} cm root mean square"


def contact_line(clip: BodyClip) -> str:
    """A line on the share of frames in which each foot, and each hand that ever does, is in contact."""
    known = np.zeros((clip.frames, len(clip.parts)), bool) if clip.down is None else clip.down
    limbs = dict.fromkeys(part.limb for part in clip.parts)
    contact = {limb: known[:, [part.limb == limb for part in clip.parts]].any(axis=1) for limb in limbs}
    hands = {hand.name for hand in clip.body.hands}
    shares = [f"{_words(k)} {100 * down.mean():.0f} %" for k, down in contact.items() if down.any() or k not in hands]
    nothing = 100 * (1 - known.any(axis=1).mean())
    return f"on the ground: {', '.join(shares)} of the time, nothing {nothing:.0f} %"


def _exact(retargeted: Retargeted) -> bool:
    return max(_worst(retargeted.error)[1], math.radians(_worst(retargeted.turn_error)[1])) < _EXACT


def _worst(errors: Mapping[str, float]) -> tuple[str, float]:
    return max(errors.items(), key=lambda item: item[1], default=("nothing", 0.0))


def _words(name: str) -> str:
    return name.replace("_", " ")
