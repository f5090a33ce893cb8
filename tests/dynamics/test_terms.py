import mujoco
import numpy as np
import pytest

from poise import Body, Scene, World, WorldSettings
from poise.contact.joint_limits import write_limit_rows
from poise.dynamics.mechanism import DynamicsTerms
from poise.dynamics.workspace import LIMIT_ROWS
from poise.world.grips import write_grip_rows_at


def random_state(model: mujoco.MjModel, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    qpos = np.array(model.qpos0)
    mujoco.mj_integratePos(model, qpos, 0.5 * random.standard_normal(model.nv), 1.0)
    return qpos, random.standard_normal(model.nv)


@pytest.mark.parametrize("name", ["biped29", "human37", "lamp14"])
def test_mass_matrix_equals_inverse_dynamics_columns(name):
    model = Scene.of(name).model
    terms = DynamicsTerms(model)
    qpos, _ = random_state(model, 1)
    terms.evaluate(qpos, np.zeros(model.nv))
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    for column in range(model.nv):
        data.qacc[:] = 0
        data.qacc[column] = 1
        force = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 1, force)
        force -= terms.bias
        force[column] += model.dof_armature[column]
        assert np.abs(force - terms.mass[:, column]).max() < 1e-10


@pytest.mark.parametrize("seed", range(5))
def test_row_jacobians_and_curves_agree_with_finite_differences(seed):
    """Rows of a point on each link: J v is its velocity, dJ/dt v its acceleration when v is kept."""
    scene = Scene.of("human37")
    world = World(scene)
    model = scene.model
    qpos, qvel = random_state(model, seed)
    qpos[2] += 5
    world.reset(qpos, qvel)
    data, work = world.terms.data, world._work
    links = np.arange(1, model.nbody)
    local = 0.1 * np.random.default_rng(seed).standard_normal((len(links), 3))

    def points(time: float) -> np.ndarray:
        moved = qpos.copy()
        mujoco.mj_integratePos(model, moved, qvel, time)
        other = mujoco.MjData(model)
        other.qpos[:] = moved
        mujoco.mj_kinematics(model, other)
        return np.array([other.xpos[b] + other.xmat[b].reshape(3, 3) @ p for b, p in zip(links, local, strict=True)])

    def velocities(time: float) -> np.ndarray:
        moved = qpos.copy()
        mujoco.mj_integratePos(model, moved, qvel, time)
        other = mujoco.MjData(model)
        other.qpos[:] = moved
        mujoco.mj_kinematics(model, other)
        mujoco.mj_comPos(model, other)
        rows = np.zeros((len(links), 3, model.nv))
        for k, (link, place) in enumerate(zip(links, points(time), strict=True)):
            mujoco.mj_jac(model, other, rows[k], None, place, link)
        return (rows @ qvel).ravel()

    h = world.settings.step
    work.reserve(contacts=1, grips=len(links))
    work.drift[:] = 0
    write_grip_rows_at(work.table, links, np.zeros_like(links), points(0.0), np.zeros((len(links), 3)))
    jacobian, curve = work.grip_jacobian, work.grip_offset / (0.5 * h)
    eps = 1e-5
    assert np.abs(jacobian @ qvel - ((points(eps) - points(-eps)) / (2 * eps)).ravel()).max() < 1e-6
    assert np.abs(curve - (velocities(eps) - velocities(-eps)) / (2 * eps)).max() < 1e-6

    exact = np.zeros((3, model.nv))
    for k, link in enumerate(links):
        mujoco.mj_jac(model, data, exact, None, points(0.0)[k], link)
        assert np.abs(jacobian[3 * k : 3 * k + 3] - exact).max() < 1e-12
        mujoco.mj_jacDot(model, data, exact, None, points(0.0)[k], link)
        assert np.abs(curve[3 * k : 3 * k + 3] - exact @ qvel).max() < 1e-9


def test_limit_rows_agree_with_finite_differences():
    body = Body.named("human37")
    world = World(Scene.of(body))
    work = world._work
    qpos, qvel = random_state(world.model, 3)
    h = world.settings.step

    def rows(time: float) -> tuple[np.ndarray, np.ndarray]:
        """Room to each limit (m, rad) and its rate, a time after the state."""
        world.qpos[:] = qpos
        mujoco.mj_integratePos(world.model, world.qpos, qvel, time)
        world.qvel[:] = qvel
        write_limit_rows(work.table, 100.0)
        count = work.counts[LIMIT_ROWS]
        first = work.limit_dof[:count]
        speed = np.array([qvel[d : d + n] @ r[:n] for d, n, r in zip(first, work.limit_size, work.limit_rate)])  # noqa: B905
        return work.limit_offset[:count] * h, speed

    room, speed = rows(0.0)
    rate = (rows(1e-5)[0] - rows(-1e-5)[0]) / 2e-5
    inside = room > 0
    assert len(speed) == 2 * (body.nv - 6)
    assert inside.sum() > 50
    assert np.abs(speed - rate)[inside].max() < 1e-6


def test_a_falling_rag_doll_converges_to_mujocos():
    """The same limp body in MuJoCo's own integrator at tiny steps; our error shrinks in proportion to the step."""
    body = Body.named("biped29")
    scene = Scene.of(body)
    qpos = np.array(body.standing)
    qpos[2] += 10
    qvel = 0.5 * np.random.default_rng(0).standard_normal(body.nv)
    seconds = 0.2
    fine = mujoco.MjModel.from_xml_string(scene.xml)
    fine.opt.timestep = 1e-5
    fine.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(fine)
    data.qpos[:], data.qvel[:] = qpos, qvel
    for _ in range(round(seconds / 1e-5)):
        mujoco.mj_step(fine, data)

    def error(step: float) -> float:
        world = World(scene, WorldSettings(step=step))
        world.reset(qpos, qvel)
        for _ in range(round(seconds / step)):
            world.step()
        apart = np.zeros(body.nv)
        mujoco.mj_differentiatePos(fine, apart, 1.0, data.qpos, world.qpos)
        return float(np.abs(apart).max())

    errors = [error(1 / 250), error(1 / 500), error(1 / 1000)]
    assert errors[2] < 2e-3
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.6 * errors[1]
