"""`human37`: the character of pose-controlled motion, 37 degrees of freedom, 71 kg, 1.75 m.

[Fattal2006] animates a human-like character of 37 degrees of freedom without listing them. Here they are: root 6, spine
3, neck 2; on each side hip 3, knee 1, ankle 2, toe 1, shoulder 3, elbow 1, wrist 2. The toes are for the paper's jumps,
the two wrist angles for its tray.
"""

from poise.body.plans import anthropometry as tables, human, shapes
from poise.body.plans.anatomy import joint_plan
from poise.body.plans.anthropometry import Proportions
from poise.body.plans.plan import BodyPlan, Segment, human_plan

ADULT = Proportions(stature=1.75, mass=71.0)


def body_plan(p: Proportions = ADULT, name: str = "human37") -> BodyPlan:
    """The plan of `human37`, or of a body with the same joints but another name and other proportions."""
    sole = shapes.SOLE * p.stature / ADULT.stature
    foot, toes, contact = human.jointed_foot(p, joint_plan("left_ankle", "ankle", "yx"), sole)
    navel = p.metres(p.hip) + p.trunk * p.trunk_split[0]
    neck = human.head_segment(p, "torso", (0.0, 0.0, p.metres(p.c7) - navel), joint_plan("neck", "neck", "zy"))
    shoulder = (0.0, p.metres(p.shoulder_half), p.metres(p.shoulder) - navel)
    return human_plan(
        name,
        core=(human.pelvis_segment(p),),
        leg=(*human.thigh_and_shank(p), foot, toes),
        trunk=(_torso_segment(p), neck),
        arm=human.arm_segments(p, "torso", shoulder),
        foot=contact,
        hand=human.palm_point(p),
    )


def _torso_segment(p: Proportions) -> Segment:
    """Middle and upper trunk as one link on a joint at the navel."""
    lower, middle, upper = (p.trunk * part for part in p.trunk_split)
    belly, chest = p.segment_mass(tables.MIDDLE_TRUNK), p.segment_mass(tables.UPPER_TRUNK)
    mass, com, inertia = tables.combined_segments(
        (belly, (0.0, 0.0, (1 - tables.MIDDLE_TRUNK.com) * middle),
         tables.upright_segment_inertia(tables.MIDDLE_TRUNK, belly, middle)),
        (chest, (0.0, 0.0, middle + (1 - tables.UPPER_TRUNK.com) * upper),
         tables.upright_segment_inertia(tables.UPPER_TRUNK, chest, upper))
    )  # fmt: skip
    height, reach, thick = p.metres(p.shoulder - p.hip) - lower, p.metres(p.shoulder_half), p.metres(0.032) * p.girth
    yoke = shapes.lateral_capsule("torso_shoulders", height, 0.96 * reach, thick, shapes.SHIRT)
    looks = (*shapes.abdomen_geoms(p, "torso", 0.0, middle), *shapes.thorax_geoms(p, "torso", middle, upper), yoke)
    spine = joint_plan("spine", "spine")
    return Segment("torso", "pelvis", spine, (0.0, 0.0, lower), mass, com, inertia, looks, "trunk")
