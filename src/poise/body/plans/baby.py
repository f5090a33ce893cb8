"""`baby`: an infant of about eight months, 0.70 m, 8.5 kg, with the joints of `human37`.

The distribution of mass is that of the Q1 child dummy: head and neck 2.41, torso with suit 4.48, arms 0.89, legs 1.82
kg [UNR129] Annex 8 Table 1; within a limb, mass is distributed as in an adult. Sitting height is 0.655 of stature, as
in the six-month CRABI dummy [SAEJ2854]; the head with hair is nearly a quarter of stature, limbs are short and round.
Radii of gyration, as fractions of each segment's length, are an adult's, because there is no table for infants.
"""

from dataclasses import replace

from poise.arrays import Frozen
from poise.body.plans import human37
from poise.body.plans.anthropometry import Proportions
from poise.body.plans.plan import BodyPlan, JointPlan
from poise.body.plans.scale import strengthened_joint

INFANT = Proportions(
    stature=0.70,
    mass=8.5,
    ankle=0.045,
    knee=0.215,
    hip=0.390,
    shoulder=0.745,
    c7=0.780,
    hip_half=0.058,
    shoulder_half=0.108,
    upper_arm=0.155,
    forearm=0.120,
    hand=0.100,
    foot=0.150,
    foot_half=0.028,
    heel=0.034,
    skull=(0.102, 0.088, 0.115),
    girth=1.3,
    masses=(2.41, 4.48, 0.445, 0.91),
)
WEAKNESS = 0.5  # strength of an infant as a fraction of the strength of an adult scaled to the infant's size


def body_plan() -> BodyPlan:
    """The plan of `baby`: joints are an adult's, scaled to the infant's size; the default torque set is "infant"."""
    figure = human37.body_plan(INFANT, "baby")
    mass = INFANT.mass / human37.ADULT.mass
    length = INFANT.stature / human37.ADULT.stature
    segments = tuple(replace(s, joint=_infant_joint(s.joint, mass, length)) for s in figure.segments)
    return replace(figure, segments=segments, default_torque="infant")


def _infant_joint(adult: JointPlan, mass: float, length: float) -> JointPlan:
    """An adult's joint scaled by the infant's share of `mass` and `length`, with the added torque set "infant"."""
    joint = strengthened_joint(adult, mass, length)
    weak = {"infant": WEAKNESS * joint.torque["human"]} if joint.torque else {}
    return replace(joint, torque=Frozen({**joint.torque, **weak}))
