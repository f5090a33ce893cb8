"""A clip as something to look at: what pages and pictures need of a recording, without any forces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.export.look import Floats
from poise.reference.bodyclip import BodyClip
from poise.world.scene import Scene


@dataclass(frozen=True, eq=False)
class Shown:
    """Poses in a scene at times. Nothing pushes and nothing is simulated."""

    model_xml: str
    time: Floats  # (T,) s
    qpos: Floats  # (T, nq)
    meta: dict[str, Any]
    reference_qpos: Floats | None = None
    contact_step: NDArray[Any] = field(default_factory=lambda: np.zeros(0, int))
    contact_body: NDArray[Any] = field(default_factory=lambda: np.zeros(0, int))
    contact_point: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    contact_force: Floats = field(default_factory=lambda: np.zeros((0, 3)))


def shown(clip: BodyClip, terrain: str = "flat") -> Shown:
    """A body's clip on a terrain, as it is: the figure may well float or sink."""
    scene = Scene.of(clip.body, terrain)
    qpos = np.tile(scene.model.qpos0, (clip.frames, 1))
    qpos[:, scene.coordinates(0)] = clip.qpos
    meta = {"body": clip.body.name, "motion": clip.name, "step": 1 / clip.rate}
    return Shown(scene.xml, np.arange(clip.frames) / clip.rate, qpos, meta)
