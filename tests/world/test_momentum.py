import mujoco
import numpy as np

from poise import Actuation, Body, Scene, World


def momenta(world: World) -> np.ndarray:
    """Linear and angular momentum from body velocities, by MuJoCo."""
    data = mujoco.MjData(world.model)
    data.qpos[:], data.qvel[:] = world.qpos, world.qvel
    mujoco.mj_forward(world.model, data)
    mujoco.mj_subtreeVel(world.model, data)
    return np.concatenate([data.subtree_linvel[1] * world.model.body_subtreemass[1], data.subtree_angmom[1]])


def test_flight_keeps_momentum_while_limbs_move():
    body = Body.named("human37")
    world = World(Scene.of(body))
    qpos = np.array(body.standing)
    qpos[2] += 20
    qvel = np.zeros(body.nv)
    qvel[:6] = [2, 0, 3, 0.5, 9, 0.3]  # a tumbling somersault
    world.reset(qpos, qvel)
    before = momenta(world)
    for k in range(120):
        torque = np.zeros(body.nv)
        torque[6:] = 0.2 * body.torque_limit[6:] * np.sin(0.12 * k + np.arange(body.nv - 6))
        world.step(Actuation(torque=torque))
    after = momenta(world)
    gravity = np.array([0, 0, -9.81 * body.mass, 0, 0, 0])
    assert np.linalg.norm((after - before - gravity)[:3]) < 1e-8 * np.linalg.norm(before[:3])
    assert np.linalg.norm((after - before)[3:]) < 1e-8 * np.linalg.norm(before[3:])
    moved = np.zeros(body.nv)
    mujoco.mj_differentiatePos(world.model, moved, 1.0, qpos, world.qpos)
    assert np.abs(moved[6:]).max() > 0.5  # the limbs did move


def test_a_push_changes_momentum_by_its_impulse():
    body = Body.named("biped29")
    world = World(Scene.of(body))
    qpos = np.array(body.standing)
    qpos[2] += 5
    world.reset(qpos, np.zeros(body.nv))
    before = momenta(world)
    push = np.zeros(body.nv)
    push[:3] = [30, -20, 10]
    for _ in range(12):
        world.step(external=push)
    change = momenta(world) - before
    expected = 0.1 * (push[:3] + np.array([0, 0, -9.81 * body.mass]))
    assert np.abs(change[:3] - expected).max() < 1e-9
