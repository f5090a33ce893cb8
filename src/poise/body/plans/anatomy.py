"""Range of motion, strength and passive resistance of human joints.

Ranges are those of the left side, in degrees: published active ranges of healthy adults [AAOS1965] [BooneAzen1979],
with the weight-bearing ankle of [Hoch2011] and the sternoclavicular joint of [Ludewig2009]. The limits
of a ball joint form a box in rotation-vector space, whose corners lie outside the anatomical range. Ranges are cut at
160 degrees, because a rotation vector is unique only below 180.
"""

from dataclasses import dataclass
from math import radians
from types import MappingProxyType as Proxy

from poise.arrays import Frozen
from poise.body.plans.plan import JointPlan


@dataclass(frozen=True)
class JointRole:
    """Properties of a human joint. Torques are peak values per degree of freedom of an adult of about 70 kg."""

    x: tuple[float, float]  # degrees, range of rotation about x
    y: tuple[float, float]  # degrees, range of rotation about y
    z: tuple[float, float]  # degrees, range of rotation about z
    human: float  # N m, torque limit in the set "human"
    athlete: float  # N m, torque limit in the set "athlete"
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
    """The plan of a joint with a role of `ROLES` about `axes`; `share` is its fraction of the range, as in a spine."""
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
