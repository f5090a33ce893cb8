"""Recordings and riggings that the tests of exports share."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from poise import Body, Scene, World, named_controller, named_motion, perform
from poise.arrays import readonly
from poise.body.rigging import plain_rigging
from poise.motion.skeleton import End, Skeleton
from poise.rotations import quat_conjugate, quat_multiply, quat_normalize, quat_rotate

CROOKED = """
<mujoco model="crooked">
 <worldbody>
  <body name="trunk" pos="0.3 0.2 1" euler="10 20 30"><freejoint/><geom type="box" size=".1 .2 .1" rgba="1 0 0 1"/>
    <geom size=".9" group="3"/>
    <body name="arm" pos=".1 .3 0" euler="40 -30 90"><joint name="arm_a" axis="1 0 0" pos=".05 -.02 .03"/>
      <joint name="arm_b" axis="0 0 1" pos=".05 -.02 .03"/>
      <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      <body name="hand" pos=".3 0 0" quat=".5 .5 -.5 .5"><joint name="hand" type="ball" pos="-.04 0 .02"/>
        <geom size=".05"/></body></body>
    <body name="fixed" pos="-.2 0 .1" euler="0 45 0"><geom type="ellipsoid" size=".04 .03 .05" euler="20 0 10"/>
      <body name="tail" pos="0 0 .2"><joint name="tail" axis="0 1 0" pos="0 .1 0"/>
        <geom type="cylinder" size=".05 .02" pos="0 0 .1" rgba="0 1 0 .5"/></body>
    </body>
  </body></worldbody></mujoco>"""


def _graphics() -> bool:
    """Whether anything can be drawn here."""
    try:
        from mujoco.egl import GLContext

        GLContext(8, 8).free()
    except Exception:
        return False
    return True


needs_graphics = pytest.mark.skipif(not _graphics(), reason="no OpenGL through EGL here")
needs_av = pytest.mark.skipif(find_spec("av") is None, reason="no av here")


def record(body, seconds=0.5, motion="fall", terrain=None, **scene):
    world = World(Scene.of(body, terrain, **scene))
    return perform(world, named_controller("limp"), named_motion(motion, body), seconds=seconds).recording


def crooked(seconds=0.5):
    return record(Body.from_mjcf(CROOKED), seconds)


def users_rigging(model, root, rate, seed=0):
    """A rigging as a user's file would give it: joint frames of its own, and a finger that the body does not move."""
    plain = plain_rigging(model, root)
    spin = quat_normalize(np.random.default_rng(seed).standard_normal(4))
    old = plain.skeleton
    leaf = max(end.joint for end in old.ends)
    names, parents = (*old.names, "finger tip"), (*old.parents, leaf)
    offsets = np.concatenate([quat_rotate(quat_conjugate(spin), old.offsets), [[0.03, 0.01, -0.02]]])
    turns = quat_multiply(np.concatenate([plain.turns, plain.turns[leaf : leaf + 1]]), spin)
    upright = np.tile([1.0, 0, 0, 0], (len(names), 1))
    upright[0] = quat_conjugate(spin)
    skeleton = Skeleton(
        names, parents, readonly(offsets), (End(len(names) - 1, readonly([0, 0, 0.01])),), upright=readonly(upright)
    )
    return replace(plain, skeleton=skeleton, links=(*plain.links, plain.links[leaf]), turns=readonly(turns), rate=rate)


def with_rigging(recording, rigging):
    return replace(recording, meta={**recording.meta, "rigging": rigging.as_dict()})
