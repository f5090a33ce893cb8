"""`human42`: the character of modal-space control, 18 links, 42 degrees of freedom, 75 kg, 1.80 m.

[Jain2011] prints the number of links and degrees of freedom. These are: root 6, abdomen 3, thorax 3, neck 2;
on each side clavicle 2, shoulder 3, elbow 1, wrist 2, hip 3, knee 1, ankle 2. The foot touches the ground
from 5.5 cm behind to 16.5 cm before the ankle: with a longer foot the ankles join the slow modes and squats
topple.

With each joint as stiff as the mass it carries, the paper counts 14 modes between 0 and 100 (rad/s)^2.
Stature, which it does not print, and armature are chosen so that this holds while standing: 1.75 m gives 13
(the next at 101.4), the full armature of other bodies 19.
"""

from __future__ import annotations

from dataclasses import replace

from poise.body.plans import anthropometry as tables
from poise.body.plans import human, shapes
from poise.body.plans.anatomy import joint
from poise.body.plans.anthropometry import Proportions
from poise.body.plans.plan import BodyPlan, Segment

ADULT = Proportions(stature=1.80, mass=75.0)
HEEL, TOE = -0.055, 0.165  # m from the ankle
ARMATURE = 0.2  # of the usual
SPINE_SHARE = 0.6  # of the whole spine's range for each of two joints: more than half, since tables round down


def plan(p: Proportions = ADULT) -> BodyPlan:
    """The figure with light armature."""
    full = _figure(p)
    light = (replace(s, joint=replace(s.joint, armature=ARMATURE * s.joint.armature)) for s in full.segments)
    return replace(full, segments=tuple(light))


def _figure(p: Proportions) -> BodyPlan:
    """Trunk in three links, arms on clavicles."""
    foot, contact = human.flat_foot(p, HEEL, TOE, joint("left_ankle", "ankle", "yx"))
    lower, middle, upper = (p.trunk * part for part in p.trunk_split)
    girdle = human.clavicle(p, "thorax", p.metres(p.shoulder - p.hip) - lower - middle)
    outer = (0.0, p.metres(p.shoulder_half) - girdle.offset[1], 0.0)
    return human.assemble(
        "human42",
        core=(human.pelvis(p),),
        leg=(*human.thigh_and_shank(p), foot),
        trunk=(
            _abdomen(p, lower, middle),
            _thorax(p, middle, upper),
            human.head(p, "thorax", (0.0, 0.0, upper), joint("neck", "neck", "zy")),
        ),
        arm=(girdle, *human.arm(p, "left_clavicle", outer)),
        foot=contact,
        hand=human.palm_point(p),
    )


def _abdomen(p: Proportions, base: float, length: float) -> Segment:
    row = tables.MIDDLE_TRUNK
    mass = p.segment_mass(row)
    return Segment("abdomen", "pelvis", joint("spine", "spine", share=SPINE_SHARE), (0.0, 0.0, base), mass,
                   (0.0, 0.0, (1 - row.com) * length), tables.upright_inertia(row, mass, length),
                   shapes.abdomen(p, "abdomen", 0.0, length), "trunk")  # fmt: skip


def _thorax(p: Proportions, base: float, length: float) -> Segment:
    """The upper trunk less the two shoulder girdles."""
    row = tables.UPPER_TRUNK
    mass = p.segment_mass(row) - 2 * human.CLAVICLE_MASS * p.mass
    return Segment("thorax", "abdomen", joint("chest", "spine", share=SPINE_SHARE), (0.0, 0.0, base), mass,
                   (0.0, 0.0, (1 - row.com) * length), tables.upright_inertia(row, mass, length),
                   shapes.thorax(p, "thorax", 0.0, length), "trunk")  # fmt: skip
