"""`human43`: a tumbler, 43 degrees of freedom, 73.5 kg, 1.75 m, round where it rolls.

[Zordan2014] prints no table of its character. These are: root 6, spine 3, chest 3, neck 3; on each side hip 3, knee 1,
ankle 3, toe 1, shoulder 3, elbow 1, wrist 2. The trunk is three links of capsules that lie across it, so that it rolls
over its back without edges. Its own torques are an athlete's; the set `human` is there beside it. All joints, light
ones too, have the damping and armature of large ones: torques of a few N m, which a controller that weighs all torques
alike gives them for nothing, would throw toes and wrists about at 60 Hz.
"""

from __future__ import annotations

from dataclasses import replace

from poise.body.plans import anthropometry as tables
from poise.body.plans import human, shapes
from poise.body.plans.anatomy import joint
from poise.body.plans.anthropometry import Proportions
from poise.body.plans.plan import BodyPlan, Segment

ADULT = Proportions(stature=1.75, mass=73.5)
SPINE_SHARE = 0.6  # of the whole spine's range for each of its two joints
DAMPING, ARMATURE = 1.0, 0.01  # N m s/rad, kg m^2, of every joint


def plan(p: Proportions = ADULT) -> BodyPlan:
    """Trunk in three links, arms on the thorax, toes of their own."""
    foot, toes, contact = human.jointed_foot(p, joint("left_ankle", "ankle"), shapes.SOLE)
    lower, middle, upper = (p.trunk * part for part in p.trunk_split)
    shoulder = (0.0, p.metres(p.shoulder_half), p.metres(p.shoulder - p.hip) - lower - middle)
    figure = human.assemble(
        "human43",
        core=(human.pelvis(p),),
        leg=(*human.thigh_and_shank(p), foot, toes),
        trunk=(
            _abdomen(p, lower, middle),
            _thorax(p, middle, upper),
            human.head(p, "thorax", (0.0, 0.0, upper), joint("neck", "neck")),
        ),
        arm=human.arm(p, "thorax", shoulder),
        foot=contact,
        hand=human.palm_point(p),
        default_torque="athlete",
    )
    return replace(figure, segments=tuple(map(_calmed, figure.segments)))


def _calmed(segment: Segment) -> Segment:
    if segment.joint.kind == "free":
        return segment
    return replace(segment, joint=replace(segment.joint, damping=DAMPING, armature=ARMATURE))


def _abdomen(p: Proportions, base: float, length: float) -> Segment:
    row = tables.MIDDLE_TRUNK
    mass = p.segment_mass(row)
    return Segment("abdomen", "pelvis", joint("spine", "spine", share=SPINE_SHARE), (0.0, 0.0, base), mass,
                   (0.0, 0.0, (1 - row.com) * length), tables.upright_inertia(row, mass, length),
                   shapes.abdomen(p, "abdomen", 0.0, length), "trunk")  # fmt: skip


def _thorax(p: Proportions, base: float, length: float) -> Segment:
    """The upper trunk with both shoulder girdles, whose capsule reaches from one shoulder to the other."""
    row = tables.UPPER_TRUNK
    mass = p.segment_mass(row)
    height = p.metres(p.shoulder - p.hip) - p.trunk * (p.trunk_split[0] + p.trunk_split[1])
    reach, thick = p.metres(p.shoulder_half), p.metres(0.032) * p.girth
    yoke = shapes.lateral("thorax_shoulders", height, 0.96 * reach, thick, shapes.SHIRT)
    whole = Segment("thorax", "abdomen", joint("chest", "spine", share=SPINE_SHARE), (0.0, 0.0, base), mass,
                    (0.0, 0.0, (1 - row.com) * length), tables.upright_inertia(row, mass, length),
                    shapes.thorax(p, "thorax", 0.0, length), "trunk")  # fmt: skip
    return replace(whole, geoms=(*whole.geoms, yoke))
