"""`human42`: the character of modal-space control, 18 links, 42 degrees of freedom, 75 kg, 1.80 m.

[Jain2011] gives the numbers of links and degrees of freedom. Here they are: root 6, abdomen 3, thorax 3, neck 2; on
each side clavicle 2, shoulder 3, elbow 1, wrist 2, hip 3, knee 1, ankle 2. The foot makes contact from 5.5 cm behind to
16.5 cm in front of the ankle: with a longer foot the ankles join the slow modes and squats topple.

With the stiffness of each joint equal to the mass that the joint carries, the paper counts 14 modes from 0 to 100
(rad/s)^2. Stature (not in the paper) and armature are chosen so that the standing body has 14 such modes. With 1.75 m
there are 13 (the next is at 101.4), with the full armature of other bodies 19.
"""

from dataclasses import replace

from poise.body.plans import anthropometry as tables, human
from poise.body.plans.anatomy import joint_plan
from poise.body.plans.anthropometry import Proportions
from poise.body.plans.plan import BodyPlan, human_plan

ADULT = Proportions(stature=1.80, mass=75.0)
HEEL, TOE = -0.055, 0.165  # m from the ankle
ARMATURE = 0.2  # multiple of the armature of other bodies


def body_plan(p: Proportions = ADULT) -> BodyPlan:
    """The plan of `human42`, with small armature, a trunk of three links and arms on clavicles."""
    foot, contact = human.flat_foot(p, HEEL, TOE, joint_plan("left_ankle", "ankle", "yx"))
    lower, middle, upper = (p.trunk * part for part in p.trunk_split)
    girdle = human.clavicle_segment(p, "thorax", p.metres(p.shoulder - p.hip) - lower - middle)
    outer = (0.0, p.metres(p.shoulder_half) - girdle.offset[1], 0.0)
    chest = p.segment_mass(tables.UPPER_TRUNK) - 2 * human.CLAVICLE_MASS * p.mass
    full = human_plan(
        "human42",
        core=(human.pelvis_segment(p),),
        leg=(*human.thigh_and_shank(p), foot),
        trunk=(
            human.abdomen_segment(p, lower, middle),
            human.thorax_segment(p, middle, upper, chest),
            human.head_segment(p, "thorax", (0.0, 0.0, upper), joint_plan("neck", "neck", "zy")),
        ),
        arm=(girdle, *human.arm_segments(p, "left_clavicle", outer)),
        foot=contact,
        hand=human.palm_point(p),
    )
    light = (replace(s, joint=replace(s.joint, armature=ARMATURE * s.joint.armature)) for s in full.segments)
    return replace(full, segments=tuple(light))
