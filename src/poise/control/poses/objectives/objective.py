"""What all objective controllers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from poise.body import Body
from poise.control.controller import Setting
from poise.control.poses.springs import Joints, Springs
from poise.dynamics import State


class Objective(Protocol):
    """Has some joints serve an aim of its own, in place of the control poses [Fattal2006] section 7."""

    def reset(self, scene: Setting) -> None:
        """Find the parts that it needs in a scene."""

    def on(self, springs: Springs, state: State) -> None:
        """Replace those of its joints among the springs of a step."""


def weighted(body: Body, joints: Mapping[str, float]) -> Joints:
    """Freedoms of joints, given by name, and the weight of each."""
    pairs = [(dof, weight) for name, weight in joints.items() for dof in body.index(name)]
    return Joints(np.array([dof for dof, _ in pairs], np.int64), np.array([weight for _, weight in pairs], float))
