"""Poses of a clip are bent no more than a flip needs."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from poise.body.body import Body
from poise.library.behaviours.behaviour import BehaviourReference
from poise.library.behaviours.clip_poses import (
    ANKLE,
    CROUCH,
    LOOSEST,
    STAND,
    TUCK,
    _BehaviourPoseMeasures,
    fitted_flip_behaviour_poses,
)
from poise.library.behaviours.files import read_behaviour


@pytest.fixture(scope="module")
def body():
    return Body.named("human43")


@pytest.fixture(scope="module")
def own():
    return dict(read_behaviour("back-flip").poses)


def changed(poses, name, k, by):
    row = list(poses[name])
    row[k] += by
    return {**poses, name: tuple(row)}


def test_who_stood_on_film_stands(body, own):
    leaning = changed(own, ANKLE, STAND, -8.0)
    figure = _BehaviourPoseMeasures(body)
    assert figure.over_foot(leaning, STAND)[0] < figure.over_foot(own, STAND)[0] - 0.1
    found = fitted_flip_behaviour_poses(leaning, own, body, [STAND])
    assert figure.over_foot(found, STAND)[0] == pytest.approx(figure.over_foot(own, STAND)[0], abs=1e-4)
    assert {name: row for name, row in found.items() if name != ANKLE} == {
        name: row for name, row in own.items() if name != ANKLE
    }


def test_a_loose_tuck_is_tightened_and_a_tight_one_is_left_alone(body, own):
    figure = _BehaviourPoseMeasures(body)
    loose = changed(changed(own, "hip_flexion", TUCK, -60.0), "knee_flexion", TUCK, -60.0)
    found = fitted_flip_behaviour_poses(loose, own, body, [TUCK])
    assert figure.size(found, TUCK) == pytest.approx(LOOSEST * figure.size(own, TUCK), rel=0.03)
    assert loose["hip_flexion"][TUCK] < found["hip_flexion"][TUCK] < own["hip_flexion"][TUCK]
    near = changed(own, "hip_flexion", TUCK, -3.0)
    assert fitted_flip_behaviour_poses(near, own, body, [TUCK]) == near


def test_a_shallow_crouch_is_deepened(body, own):
    shallow = changed(changed(own, "hip_flexion", CROUCH, -50.0), "knee_flexion", CROUCH, -50.0)
    found = fitted_flip_behaviour_poses(shallow, own, body, [CROUCH])
    figure = _BehaviourPoseMeasures(body)
    assert figure.over_foot(found, CROUCH)[2] <= 1.06 * figure.over_foot(own, CROUCH)[2]
    assert found["knee_flexion"][CROUCH] > shallow["knee_flexion"][CROUCH]


def test_who_stands_begins_on_flat_soles(body, own):
    behaviour = replace(read_behaviour("back-flip"), poses=changed(own, ANKLE, STAND, 10.0))
    data = mujoco.MjData(body.model)
    data.qpos[:] = BehaviourReference(behaviour, body).at(0.0).qpos
    mujoco.mj_kinematics(body.model, data)
    up = data.xmat[body.link_id(body.feet[0].link)].reshape(3, 3)[2]
    np.testing.assert_allclose(up, [0.0, 0.0, 1.0], atol=1e-3)
