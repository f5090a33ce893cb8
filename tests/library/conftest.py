"""What gait analysis has published, and how a clip is compared with it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from poise.reference.body_clip import BodyClip
from poise.rotations import Array, matrix_to_euler, quat_multiply, quat_to_matrix


@pytest.fixture(scope="session")
def beyond_normal() -> Callable[[BodyClip], dict[str, Array]]:
    """How many standard deviations a walking cycle that begins at left heel strike is from normal, joint by joint."""
    table = tomllib.loads(Path(__file__).with_name("normal_gait.toml").read_text(encoding="utf-8"))

    def compare(cycle: BodyClip) -> dict[str, Array]:
        at = np.linspace(0, cycle.frames - 1, 11).round().astype(int)
        found = _left_leg(cycle)
        return {
            joint: (found[joint][at] - np.array(row["mean"])) / np.array(row["deviation"])
            for joint, row in table.items()
        }

    return compare


def _left_leg(cycle: BodyClip) -> dict[str, Array]:
    """Degrees (T,) of flexion; of the hip against the vertical, as the tables have it."""

    def joint(name: str) -> Array:
        return cycle.qpos[:, list(cycle.body.joint(name).qpos)]

    thigh = quat_multiply(cycle.qpos[:, 3:7], joint("left_hip"))
    ankle = joint("left_ankle")
    return {
        "hip": -np.degrees(matrix_to_euler(quat_to_matrix(thigh), "ZYX")[:, 1]),
        "knee": np.degrees(joint("left_knee")[:, 0]),
        "ankle": -np.degrees(ankle[:, 0] if ankle.shape[1] < 4 else _pitch(ankle)),
    }


def _pitch(turn: Array) -> Array:
    return matrix_to_euler(quat_to_matrix(turn), "YXZ")[:, 0]
