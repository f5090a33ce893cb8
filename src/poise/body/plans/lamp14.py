"""`lamp14`: a desk lamp that hops, 14 degrees of freedom, 2.8 kg, half a metre tall.

[Fattal2006] animates a lamp of 14 degrees of freedom without listing them. Here they are: root 6; base to lower arm 3,
lower to upper arm 2, upper arm to shade 3. The root is the base, so that keeping the base level is a condition on the
root. In the zero pose the arms are straight up and the shade points forward; in the standing pose the arms are bent.
"""

from dataclasses import replace
from math import cos, radians, sin

from poise.arrays import Array, Frozen, readonly
from poise.body.parts import Foot
from poise.body.plans import anthropometry as solids, shapes
from poise.body.plans.anatomy import FREE
from poise.body.plans.plan import BodyPlan, Colour, Geom, JointPlan, Segment

STEEL: Colour = (0.62, 0.66, 0.70, 1.0)
ENAMEL: Colour = (0.86, 0.87, 0.86, 1.0)
GLOW: Colour = (1.0, 0.93, 0.65, 1.0)

BASE, ARM, SHADE = 1.6, 0.35, 0.5  # kg: base, each of two arms, shade with bulb; 2.8 in total
RADIUS, RAIL, TOP = 0.10, 0.008, 0.03  # m: radii of the disc and of its contact rails, height of the joint
LENGTH, THICK = 0.20, 0.011  # m: length and radius of an arm
DEPTH, MOUTH = 0.13, 0.075  # m: the shade from neck to rim, and the rim's radius
TORQUE = 20.0  # N m: a spring of 20 N m/rad at one radian
DAMPING = 0.02  # N m s/rad: a joint carries 0.02 kg m^2, so passive motion decays in about 1 s
ARMATURE = 0.0005  # kg m^2


def body_plan() -> BodyPlan:
    """The plan of `lamp14`: base, two arms, shade. Hinges fold the upper arm forward (y) and sideways (x)."""
    hinges = replace(_lamp_ball_joint("elbow"), kind="hinge", axes="yx", lower=(-0.3, -0.8), upper=(2.6, 0.8))
    lower = _lamp_arm("lower_arm", "base", _lamp_ball_joint("base_joint"), TOP - RAIL)
    return BodyPlan(
        name="lamp14",
        segments=(_lamp_base(), lower, _lamp_arm("upper_arm", "lower_arm", hinges, LENGTH), _lamp_shade()),
        default_torque="motor",
        standing={"base_joint": (0.0, -0.5, 0.0), "elbow": (1.1, 0.0), "neck": (0.0, -0.35, 0.0)},
        feet=(Foot("base", _lamp_base_corners(), "base_joint"),),
        head="shade",
    )


def _lamp_ball_joint(name: str) -> JointPlan:
    return JointPlan(name, "ball", "xyz", tuple(radians(a) for a in (-60, -100, -90)),
                     tuple(radians(a) for a in (60, 100, 90)), Frozen({"motor": TORQUE}),
                     damping=DAMPING, armature=ARMATURE)  # fmt: skip


def _lamp_base_corners() -> Array:
    """Ends (4, 3) m of the two rails: points on the disc's rim in the order of `Foot.points`, back left first."""
    x, y = RADIUS * cos(radians(45)), RADIUS * sin(radians(45))
    return readonly([(-x, y, -RAIL), (-x, -y, -RAIL), (x, y, -RAIL), (x, -y, -RAIL)])


def _lamp_base() -> Segment:
    """The base: a disc on two rails. The origin of the link is at the height of the rails' axes."""
    (back, left, _), _, (front, _, _), _ = _lamp_base_corners()
    ends = (0.0, 0.0, -0.6 * RAIL), (0.0, 0.0, 1.6 * RAIL)
    looks = (
        shapes.capsule_geom("base_left", (back, left, 0.0), (front, left, 0.0), RAIL, STEEL),
        shapes.capsule_geom("base_right", (back, -left, 0.0), (front, -left, 0.0), RAIL, STEEL),
        Geom("base_disc", "cylinder", ends, (1.08 * RADIUS,), ENAMEL, solid=False),
        shapes.capsule_geom("base_post", (0.0, 0.0, 0.0), (0.0, 0.0, TOP - RAIL), 1.6 * THICK, STEEL, solid=False),
    )
    inertia = solids.cylinder_inertia(BASE, RADIUS, 2 * RAIL)
    return Segment("base", None, FREE, (0.0, 0.0, RAIL), BASE, (0.0, 0.0, 0.0), inertia, looks, "trunk")


def _lamp_arm(name: str, parent: str, joint: JointPlan, height: float) -> Segment:
    """An arm: two parallel rods; only the capsule between the rods makes contact."""
    side = 1.4 * THICK
    rods = tuple(
        shapes.capsule_geom(f"{name}_{end}", (0.0, y, 0.0), (0.0, y, LENGTH), 0.45 * THICK, STEEL, solid=False)
        for end, y in (("left", side), ("right", -side))
    )
    looks = (
        shapes.capsule_geom(f"{name}_shape", (0.0, 0.0, 0.0), (0.0, 0.0, LENGTH), THICK, ENAMEL),
        *rods,
        shapes.lateral_capsule(f"{name}_knuckle", 0.0, 1.3 * side, 1.5 * THICK, STEEL, solid=False),
    )
    inertia = solids.cylinder_inertia(ARM, 2 * THICK, LENGTH)
    return Segment(name, parent, joint, (0.0, 0.0, height), ARM, (0.0, 0.0, LENGTH / 2), inertia, looks, "trunk")


def _lamp_shade() -> Segment:
    """The shade: a cone of rings that points forward; only the rim and the neck make contact."""
    slices, throat = 5, 0.03  # number of rings, and radius (m) of the cone's start
    thin = DEPTH / (slices + 1)
    rings = tuple(
        Geom(f"shade_ring{k}", "cylinder", ((k * thin, 0.0, 0.0), ((k + 1) * thin, 0.0, 0.0)),
             (throat + (MOUTH - throat) * k / slices,), ENAMEL, solid=False)
        for k in range(1, slices + 1)
    )  # fmt: skip
    half, edges = 0.6 * MOUTH, (("top", 0.8 * MOUTH), ("bottom", -0.8 * MOUTH))
    looks = (
        shapes.sphere_geom("shade_neck", (0.025, 0.0, 0.0), throat, ENAMEL),
        *(
            shapes.capsule_geom(f"shade_rim_{edge}", (DEPTH, -half, z), (DEPTH, half, z), 0.01, ENAMEL)
            for edge, z in edges
        ),
        *rings,
        shapes.sphere_geom("shade_bulb", (0.9 * DEPTH, 0.0, 0.0), 0.042, GLOW, solid=False),
    )
    across, _, along = solids.cylinder_inertia(SHADE, 0.7 * MOUTH, DEPTH)  # the cylinder's axis lies forward
    return Segment("shade", "upper_arm", _lamp_ball_joint("neck"), (0.0, 0.0, LENGTH), SHADE, (0.55 * DEPTH, 0.0, 0.0),
                   (along, across, across), looks, "head")  # fmt: skip
