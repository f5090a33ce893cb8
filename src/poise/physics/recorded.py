"""Convert a motion that obeys physics to a recording, which can be audited and viewed."""

import numpy as np

from poise.arrays import finite_or_null
from poise.reference.dynamic import Dynamic
from poise.world.props import Bar
from poise.world.recording import Recording
from poise.world.scene import Scene


def recording_of_motion(motion: Dynamic, terrain: str = "flat") -> Recording:
    """A recording of a motion on its terrain; as in the world, forces act midway between contact point and ground."""
    clip, contacts = motion.clip, motion.contacts
    body = clip.body
    scene = scene_of_dynamic(motion, terrain)
    points = motion.points()[:-1]
    points[..., 2] = np.where(contacts.held, points[..., 2], 0.5 * (points[..., 2] + contacts.ground[:-1]))
    step, which = np.nonzero(contacts.force.any(axis=2))
    held_to = scene.link_id("bar") if scene.props else 0
    links = np.array([scene.link_id(link) for link in contacts.links], np.int64)
    held = contacts.held[which]
    force = contacts.force[step, which]
    normal = np.tile([0.0, 0.0, 1.0], (len(step), 1))
    normal[held] = force[held] / np.linalg.norm(force[held], axis=1, keepdims=True)
    pairs = [[scene.model.body(link).name, scene.model.body(held_to).name] for link in sorted(set(links[which[held]]))]
    return Recording(
        model_xml=scene.xml,
        time=np.asarray(np.arange(clip.frames) * motion.step, float),
        qpos=np.array(clip.qpos),
        qvel=np.array(motion.qvel),
        torque=np.array(motion.torque),
        external=np.zeros_like(motion.torque),
        contact_step=step.astype(np.int64),
        contact_body=links[which],
        contact_other=np.where(held, held_to, 0).astype(np.int64),
        contact_point=points[step, which],
        contact_normal=normal,
        contact_force=force,
        contact_friction=np.where(held, 0.0, scene.friction),
        contact_kind=held.astype(np.int64),
        limit_impulse=np.zeros_like(motion.torque),
        reference_qpos=None,
        meta={
            "body": body.name,
            "motion": clip.name,
            "controller": "none: a reference",
            "step": motion.step,
            "root": body.links[0],
            "dof_names": list(body.dof_names),
            "torque_limits": finite_or_null(body.torque_limit),
            "joint_lower": finite_or_null(body.lower),
            "joint_upper": finite_or_null(body.upper),
            "stabiliser": None,
            "events": [{"kind": "grips", "time": 0.0, "pairs": pairs}] if pairs else [],
        },
    )


def scene_of_dynamic(motion: Dynamic, terrain: str = "flat") -> Scene:
    """The motion's body on the terrain, with a bar at the mean place of the gripping hands if the motion has grips."""
    gripping = motion.contacts.down & motion.contacts.held
    if not gripping.any():
        return Scene.of(motion.clip.body, terrain)
    x, _, z = motion.points()[gripping].mean(axis=0)
    return Scene.of(motion.clip.body, terrain, props=(Bar(height=float(z), x=float(x), length=1.4),))
