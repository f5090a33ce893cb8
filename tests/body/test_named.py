"""Bodies: freedoms, masses, published tables, standing."""

import pickle
import subprocess
import sys

import mujoco
import numpy as np
import pytest
from scipy.linalg import eigh

from poise.body.assemble import body_names
from poise.body.body import Body
from poise.body.plans import biped29, human58
from poise.body.surface import lowest_geom_height
from poise.errors import PoiseError

FREEDOM = {"biped29": 29, "human37": 37, "human42": 42, "human43": 43, "human58": 64, "lamp14": 14, "baby": 37}
MASS = {
    "biped29": 71.356,
    "human37": 71.0,
    "human42": 75.0,
    "human43": 73.5,
    "human58": 81.4,
    "lamp14": 2.8,
    "baby": 8.5,
}


def posed(body, qpos):
    data = mujoco.MjData(body.model)
    data.qpos[:] = qpos
    mujoco.mj_forward(body.model, data)
    return data


def mass_matrix(body, qpos):
    """Without armature."""
    data = posed(body, qpos)
    matrix = np.zeros((body.nv, body.nv))
    for column in range(body.nv):
        unit = np.eye(body.nv)[column]
        mujoco.mj_mulM(body.model, data, matrix[column], unit)
    return matrix - np.diag(body.model.dof_armature)


@pytest.mark.parametrize("name", body_names())
def test_freedom_and_mass(name):
    body = Body.named(name)
    assert body.nv == FREEDOM[name]
    assert body.mass == pytest.approx(MASS[name], abs=1e-9)


def test_the_model_has_the_bodys_freedoms(body):
    assert body.nv == body.model.nv == len(body.dof_names)
    assert body.nq == body.model.nq


def test_everything_is_named_and_indexed(body):
    assert body.dof_names[:6] == ("root_x", "root_y", "root_z", "root_rx", "root_ry", "root_rz")
    assert len(set(body.dof_names)) == body.nv
    assert [d for joint in body.joints for d in joint.dofs] == list(range(body.nv))
    for k in range(body.model.ngeom):
        assert body.model.geom(k).name
    for link in body.links:
        assert body.model.body(body.link_id(link)).name == link
    for joint in body.joints:
        assert body.index(joint.name) == joint.dofs


def test_arrays_cannot_be_written(body):
    for array in (body.standing, body.lower, body.upper, body.torque_limit, *body.torque_limits.values()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_limits_hold_the_standing_pose(body):
    assert np.all(np.isinf(body.lower[:6]))
    assert np.all(body.lower[6:] < body.upper[6:])
    angles = np.zeros(body.nv)
    mujoco.mj_differentiatePos(body.model, angles, 1.0, body.model.qpos0, body.standing)
    assert np.all(angles >= body.lower - 1e-12)
    assert np.all(angles <= body.upper + 1e-12)


def test_stands_on_the_ground_with_flat_soles(body):
    assert abs(lowest_geom_height(body.model, body.standing)) < 1e-9
    np.testing.assert_array_equal(body.standing[:2], 0)
    data = posed(body, body.standing)
    for foot in body.feet:
        link = data.body(foot.link)
        points = link.xpos + foot.points @ link.xmat.reshape(3, 3).T
        np.testing.assert_allclose(points[:, 2], 0, atol=1e-9)
        assert points[0, 0] == points[1, 0] < points[2, 0] == points[3, 0]
        if foot.link.startswith("left"):
            assert points[0, 1] > points[1, 1]


def test_a_plane_touches_a_foot_in_its_four_points(body):
    if not body.feet:
        pytest.skip("a body without feet")
    spec = mujoco.MjSpec.from_string(body.mjcf)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1], contype=2, conaffinity=2)
    for geom in spec.geoms:
        if geom.contype and geom.type != mujoco.mjtGeom.mjGEOM_PLANE:
            geom.contype = geom.conaffinity = 2
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = body.standing
    data.qpos[2] -= 1e-4
    mujoco.mj_forward(model, data)
    link = data.body(body.feet[0].link)
    here = [c.pos for c in data.contact if link.id in model.geom_bodyid[c.geom]]
    expected = link.xpos + body.feet[0].points @ link.xmat.reshape(3, 3).T
    assert len(here) == 4
    for point in expected:
        assert np.min(np.linalg.norm(np.array(here) - point, axis=1)) < 1e-3


def test_every_link_has_physical_inertia(body):
    assert np.all(body.model.body_mass[1:] > 0)
    inertia = np.sort(body.model.body_inertia[1:], axis=1)
    assert np.all(inertia[:, 0] + inertia[:, 1] >= inertia[:, 2] * (1 - 1e-12))
    assert np.linalg.eigvalsh(mass_matrix(body, body.standing)).min() > 0


def test_survives_pickling(body):
    twin = pickle.loads(pickle.dumps(body))
    assert twin.mjcf == body.mjcf
    np.testing.assert_array_equal(twin.torque_limit, body.torque_limit)
    assert dict(twin.groups) == dict(body.groups)


def test_biped29_is_the_papers_table():
    model = Body.named("biped29").model
    for name, (mass, lateral, up, forward) in biped29.TABLE.items():
        for link in (name,) if name in ("pelvis", "torso", "neck", "head") else (f"left_{name}", f"right_{name}"):
            assert model.body(link).mass == mass
            np.testing.assert_array_equal(model.body(link).inertia, [forward, lateral, up])
            np.testing.assert_array_equal(model.body(link).iquat, [1, 0, 0, 0])


def test_human58_is_the_papers_table():
    body = Body.named("human58")
    assert body.nv - 6 == 58
    assert len(body.links) - 1 == 30
    for joint in body.joints[1:]:
        torque, rate = human58.TABLE[joint.name.removeprefix("left_").removeprefix("right_")]
        np.testing.assert_array_equal(body.torque_limits["paper"][list(joint.dofs)], torque)
        np.testing.assert_array_equal(body.tables["response_rate"][list(joint.dofs)], rate)
    np.testing.assert_array_equal(body.torque_limit, body.torque_limits["paper"])


@pytest.mark.parametrize("armature", [0.0, 1.0])
def test_human42_has_the_papers_mode_split(armature):
    """[Jain2011]: 6 rigid, 14 low modes below 100 (rad/s)^2, 22 high, stiffness = mass of the subtree."""
    body = Body.named("human42")
    assert len(body.links) == 18
    stiffness = body.model.body_subtreemass[body.model.dof_bodyid].copy()
    stiffness[:6] = 0
    inertia = mass_matrix(body, body.standing) + armature * np.diag(body.model.dof_armature)
    values = eigh(np.diag(stiffness), inertia, eigvals_only=True)
    assert np.sum(np.abs(values) < 1e-6) == 6
    assert np.sum((values > 1e-6) & (values < 100)) == 14
    assert np.sum(values >= 100) == 22


def test_groups_cover_all_joints(body):
    parts = ("left_leg", "right_leg", "left_arm", "right_arm", "trunk", "head")
    assert sorted(n for p in parts for n in body.groups[p]) == sorted(j.name for j in body.joints[1:])
    assert body.groups["legs"] == body.groups["left_leg"] + body.groups["right_leg"]


def test_torque_limits_can_be_chosen():
    body = Body.named("biped29")
    athlete = body.with_torque_limits("athlete")
    assert athlete.torque_limit[body.index("left_hip")[0]] == 600
    own = body.with_torque_limits(np.full(body.nv, 7.0))
    np.testing.assert_array_equal(own.torque_limit[:6], 0)
    with pytest.raises(PoiseError, match="athlete, human"):
        body.with_torque_limits("robot")
    with pytest.raises(PoiseError, match="29 numbers"):
        body.with_torque_limits([1.0, 2.0])


def test_poses_from_angles():
    body = Body.named("biped29")
    qpos = body.qpos_from({"left_hip": [0, -0.6, 0], "left_knee": 0.8, "right_ankle": [0.1, 0.2], "left_ankle_x": 0.3})
    data = posed(body, qpos)
    knee, ankle = data.body("left_shank"), data.body("left_foot")
    assert knee.xpos[0] > 0.2  # hip flexion brings the knee forward
    assert ankle.xpos[0] < knee.xpos[0] + 0.42 * np.sin(0.6) - 0.1  # knee flexion brings the shank back
    assert qpos[body.joint("left_ankle").qpos[1]] == 0.3
    assert qpos[list(body.joint("right_ankle").qpos)].tolist() == [0.1, 0.2]


@pytest.mark.parametrize(
    ("angles", "message"),
    [({"left_nee": 1.0}, "left_knee"), ({"left_hip": 1.0}, "3 finite"), ({"root": 1.0}, "free root")],
)
def test_bad_angles_are_named(angles, message):
    with pytest.raises(PoiseError, match=message):
        Body.named("biped29").qpos_from(angles)


def test_import_is_cheap():
    """Bodies are read by the command line for every `--help`: no compiler, no scientific stack beyond NumPy."""
    code = "import sys, poise.body; print([m for m in ('scipy', 'numba') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_unknown_names_suggest_known_ones():
    with pytest.raises(PoiseError, match="Did you mean 'human37'"):
        Body.named("human377")
    with pytest.raises(PoiseError, match="left_thigh"):
        Body.named("biped29").link_id("left_tigh")
