"""A walk made of formulas: the pelvis glides, feet stand and swing, legs by inverse kinematics."""

from pathlib import Path

import numpy as np
import pytest

from poise.arrays import readonly
from poise.body.body import Body
from poise.body.link_kinematics import LinkKinematics
from poise.body.surface import contact_parts
from poise.edit.foot_placement import EditedFootPlacement
from poise.edit.limbs import foot_parts
from poise.edit.take import Frame
from poise.reference.body_clip import BodyClip
from poise.retarget.prepare import prepare
from poise.rotations import quat_exp

EXAMPLES = Path(__file__).parents[2] / "examples/motions"
PERIOD, STANCE, RATE = 1.1, 0.62, 60.0  # s, share of the period, frames per second
STEP, LIFT, DIP = 0.5, 0.08, 0.075  # m


def walk(body: Body, seconds: float = 4.4) -> BodyClip:
    time = np.arange(round(seconds * RATE) + 1) / RATE
    speed = 2 * STEP / PERIOD
    qpos = np.tile(body.standing, (len(time), 1))
    qpos[:, 0] = speed * time
    qpos[:, 2] -= DIP + 0.01 * np.cos(4 * np.pi * time / PERIOD)
    footing = EditedFootPlacement(body)
    place, turn = footing.places(qpos)
    stand, _ = footing.places(body.standing[None])
    down = np.zeros((len(time), len(contact_parts(body))), bool)
    for foot, parts in enumerate(foot_parts(body)):
        phase = time / PERIOD + 0.5 * foot + STANCE / 2
        count, within = np.floor(phase), phase % 1.0
        swing = np.clip((within - STANCE) / (1 - STANCE), 0, 1)
        glide = swing - np.sin(2 * np.pi * swing) / (2 * np.pi)
        place[:, foot, 0] = stand[0, foot, 0] + 2 * STEP * (count - 0.5 * foot + glide)
        place[:, foot, 2] = stand[0, foot, 2] + LIFT * np.sin(np.pi * swing) ** 2
        pitch = 0.3 * np.sin(2 * np.pi * swing) * np.sin(np.pi * swing)
        turn[:, foot] = quat_exp(pitch[:, None] * [0.0, 1.0, 0.0])
        down[:, parts] = (within <= STANCE)[:, None]
    for side, sign in (("left", -1.0), ("right", 1.0)):
        address = list(body.joint(f"{side}_shoulder").qpos)
        qpos[:, address] = quat_exp(sign * 0.35 * np.cos(2 * np.pi * time / PERIOD)[:, None] * [0.0, 1.0, 0.0])
    frames = footing.settled([Frame(*row) for row in zip(qpos, down, strict=True)], place, turn)
    return BodyClip("walk", body, RATE, readonly([frame.qpos for frame in frames]), readonly(down, bool))


@pytest.fixture(scope="session", params=["biped29", "human37"])
def gait(request) -> BodyClip:
    return walk(Body.named(request.param))


def worst_slip(clip: BodyClip) -> float:
    """How far any contact point moves away from its mean place while its part is down, m."""
    worst = 0.0
    assert clip.down is not None
    for part, down in zip(clip.parts, clip.down.T, strict=True):
        places, _ = LinkKinematics(clip.body, [(part.link, point) for point in part.points]).at(clip.qpos)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], down, [False]]).astype(int))).reshape(-1, 2)
        for begin, end in edges:
            stood = places[begin:end]
            worst = max(worst, float(np.linalg.norm(stood - stood.mean(axis=0), axis=-1).max()))
    return worst


def soles_of(clip: BodyClip) -> np.ndarray:
    """(T, F, 4, 3) m: the contact points of the feet."""
    points = [(foot.link, point) for foot in clip.body.feet for point in foot.points]
    return LinkKinematics(clip.body, points).at(clip.qpos)[0].reshape(clip.frames, -1, 4, 3)


@pytest.fixture(scope="session")
def human_gait() -> BodyClip:
    return walk(Body.named("human37"))


@pytest.fixture(scope="session")
def own_walk() -> BodyClip:
    """The example walk, on the body built for its skeleton."""
    return prepare(EXAMPLES / "walk.bvh", span=(0.0, 3.5)).clip


@pytest.fixture(scope="session")
def slip():
    return worst_slip


@pytest.fixture(scope="session")
def soles():
    return soles_of
