"""`human43`: the character of rotational dynamics, 43 degrees of freedom, 73.5 kg, 1.75 m, with a round back.

[Zordan2014] gives no table of its character. Here the degrees of freedom are: root 6, spine 3, chest 3, neck 3; on each
side hip 3, knee 1, ankle 3, toe 1, shoulder 3, elbow 1, wrist 2. The trunk is three links of sideways capsules,
so that the body rolls over its back without edges. The default torque set is "athlete"; "human" is available. Light
joints have the damping and armature of large joints: a controller that weights all torques equally gives light joints
torques of a few N m, which would throw toes and wrists about at 60 Hz.
"""

from dataclasses import replace

from poise.body.plans import anthropometry as tables, human, shapes
from poise.body.plans.anatomy import joint_plan
from poise.body.plans.anthropometry import Proportions
from poise.body.plans.plan import BodyPlan, human_plan

ADULT = Proportions(stature=1.75, mass=73.5)
DAMPING, ARMATURE = 1.0, 0.01  # N m s/rad, kg m^2, of every joint


def body_plan(p: Proportions = ADULT) -> BodyPlan:
    """The plan of `human43`, with a trunk of three links, arms on the thorax, and toes."""
    foot, toes, contact = human.jointed_foot(p, joint_plan("left_ankle", "ankle"), shapes.SOLE)
    lower, middle, upper = (p.trunk * part for part in p.trunk_split)
    shoulder = (0.0, p.metres(p.shoulder_half), p.metres(p.shoulder - p.hip) - lower - middle)
    height = p.metres(p.shoulder - p.hip) - p.trunk * (p.trunk_split[0] + p.trunk_split[1])
    thick = p.metres(0.032) * p.girth
    yoke = shapes.lateral_capsule("thorax_shoulders", height, 0.96 * shoulder[1], thick, shapes.SHIRT)
    figure = human_plan(
        "human43",
        core=(human.pelvis_segment(p),),
        leg=(*human.thigh_and_shank(p), foot, toes),
        trunk=(
            human.abdomen_segment(p, lower, middle),
            human.thorax_segment(p, middle, upper, p.segment_mass(tables.UPPER_TRUNK), yoke),
            human.head_segment(p, "thorax", (0.0, 0.0, upper), joint_plan("neck", "neck")),
        ),
        arm=human.arm_segments(p, "thorax", shoulder),
        foot=contact,
        hand=human.palm_point(p),
        default_torque="athlete",
    )
    root, *rest = figure.segments
    damped = (replace(s, joint=replace(s.joint, damping=DAMPING, armature=ARMATURE)) for s in rest)
    return replace(figure, segments=(root, *damped))
