"""Frames encode the state of the world."""

import mujoco
import numpy as np
import pytest

from poise.export.page import moving_bodies
from poise.studio.choices import Choice
from poise.studio.frames import Framer
from poise.studio.show import Show


def test_a_frame_holds_poses_angles_torques_and_forces():
    show = Show(Choice("stand", controller="hold"))
    for _ in range(20):
        show.step()
    world, body = show.run.world, show.run.world.scene.body
    frame = Framer(show.run).frame(7, show.run.ghost, show.last)
    assert np.frombuffer(frame, "<u4", 2).tolist() == [1, 7]
    assert np.frombuffer(frame, "<f8", 1, 8)[0] == pytest.approx(world.time)
    numbers = np.frombuffer(frame, "<f4", offset=16)
    moving = moving_bodies(world.model)
    n, nv = len(moving), body.nv
    assert numbers[:3] == pytest.approx(world.terms.data.subtree_com[1], abs=1e-5)
    poses = numbers[3 : 3 + 7 * n].reshape(n, 7)
    assert poses[:, :3] == pytest.approx(world.terms.data.xpos[moving], abs=1e-5)
    assert poses[:, 3:] == pytest.approx(world.terms.data.xquat[moving], abs=1e-5)
    angles, wanted, torque = (numbers[3 + 14 * n + k * nv : 3 + 14 * n + (k + 1) * nv] for k in range(3))
    knee = body.joint("left_knee")
    assert angles[list(knee.dofs)] == pytest.approx(world.qpos[list(knee.qpos)], abs=1e-5)
    assert wanted[list(knee.dofs)] == pytest.approx(show.run.ghost[list(knee.qpos)], abs=1e-5)
    assert torque == pytest.approx(show.last.torque[:nv], abs=1e-3)
    contacts = numbers[3 + 14 * n + 3 * nv :].reshape(-1, 7)
    weight = world.model.body_subtreemass[1] * 9.81
    assert contacts[:, 6].sum() == pytest.approx(weight, rel=0.2)
    feet = {body.link_id(foot.link) for foot in body.feet}
    assert {int(moving[int(k)]) for k in contacts[:, 0]} <= feet | {
        b for b in moving if world.model.body_parentid[b] in feet
    }
    assert mujoco.mj_id2name(world.model, mujoco.mjtObj.mjOBJ_BODY, int(moving[0])) == body.links[0]


def test_a_ghost_stays_what_it_is_when_other_ground_has_more_shapes():
    show = Show(Choice("walk", controller="pendulum"))
    framer, ghost = Framer(show.run), np.array(show.run.ghost)
    before = framer.frame(1, ghost, None)
    for degrees in (3.0, 0.0, 3.0):
        for _ in range(20):
            show.step()
        show.slope(degrees)
    after = framer.frame(1, ghost, None)
    n = len(moving_bodies(show.run.world.model))
    shown = [np.frombuffer(each, "<f4", 7 * n, 16 + 4 * (3 + 7 * n)) for each in (before, after)]
    assert show.run.world.model.ngeom > framer._model.ngeom
    assert (shown[0] == shown[1]).all()
