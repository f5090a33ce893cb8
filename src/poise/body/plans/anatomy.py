"""Range of motion, strength and passive resistance of human joints.

Ranges are those of the left side, in degrees: published active ranges of healthy adults [AAOS1965] [BooneAzen1979],
with the weight-bearing ankle of [Hoch2011] and the sternoclavicular joint of [Ludewig2009]. The box of a ball's limits
in rotation-vector space is wider than anatomy at its corners. Ranges are cut at 160 degrees, because a rotation vector
is unique only below 180.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from types import MappingProxyType as Proxy

from poise.arrays import Frozen
from poise.body.plans.plan import JointPlan


@dataclass(frozen=True)
class JointRole:
    """Properties of a joint. Torques are peak values per degree of freedom of an adult of about 70 kg."""

    x: tuple[float, float]  # degrees
    y: tuple[float, float]  # degrees
    z: tuple[float, float]  # degrees
    human: float  # N m
    athlete: float  # N m
    # Damping and armature keep a limp body stable at 60 Hz: 1 N m s/rad and 0.01 kg m^2 in an adult's large joints.
    # They are smaller in joints that carry little, so that motion decays within about 0.05 to 0.1 s, as in the elbow.
    damping: float = 1.0  # N m s/rad
    armature: float = 0.01  # kg m^2


ROLES = Proxy({
    "hip": JointRole((-30, 45), (-140, 30), (-45, 45), 400, 600),
    "knee": JointRole((0, 0), (-5, 150), (0, 0), 400, 600),
    "ankle": JointRole((-35, 20), (-40, 50), (-15, 15), 250, 350),
    "toe": JointRole((0, 0), (-70, 40), (0, 0), 60, 90, 0.05, 0.001),
    "spine": JointRole((-35, 35), (-30, 90), (-45, 45), 300, 500),
    "neck": JointRole((-45, 45), (-60, 65), (-80, 80), 60, 90, 0.5, 0.005),
    "clavicle": JointRole((-10, 40), (0, 0), (-20, 30), 150, 250, 0.5, 0.005),
    "shoulder": JointRole((-45, 150), (-160, 60), (-80, 90), 150, 250),
    "elbow": JointRole((0, 0), (-150, 5), (0, 0), 100, 150),
    "forearm": JointRole((0, 0), (0, 0), (-80, 80), 40, 60, 0.05, 0.001),
    "wrist": JointRole((-80, 70), (-20, 30), (0, 0), 20, 30, 0.05, 0.001),
    "fingers": JointRole((-90, 20), (0, 0), (0, 0), 5, 7.5, 0.005, 0.0001),
    "thumb": JointRole((-50, 20), (-45, 20), (0, 0), 5, 7.5, 0.005, 0.0001)
})  # fmt: skip

FREE = JointPlan("root", "free")
WELD = JointPlan("", "weld")


def joint_plan(name: str, role: str, axes: str = "xyz", *, share: float = 1.0) -> JointPlan:
    """A joint of a role: a ball for all three axes, else hinges.

    `share` is its fraction of the published range, where several joints make up one, as along the spine.
    """
    properties = ROLES[role]
    ranges = [getattr(properties, axis) for axis in axes]
    return JointPlan(
        name=name,
        kind="ball" if len(axes) == 3 else "hinge",
        axes=axes,
        lower=tuple(radians(share * low) for low, _ in ranges),
        upper=tuple(radians(share * high) for _, high in ranges),
        torque=Frozen({"human": float(properties.human), "athlete": float(properties.athlete)}),
        damping=properties.damping,
        armature=properties.armature,
    )
