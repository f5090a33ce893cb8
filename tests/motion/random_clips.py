"""Skeletons and motions of every shape, for tests of properties."""

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from poise.arrays import readonly
from poise.motion.clip import Clip, clip_from
from poise.motion.skeleton import Y_UP, Convention, End, Skeleton, depth_first_joints
from poise.rotations import quat_exp, quat_normalize

NAMES = st.text("abcXYZ019_:-. é", min_size=1, max_size=8).map(str.strip).filter(bool)
ORDERS = ["ZXY", "ZYX", "XYZ", "YXZ", "XZX", "ZXZ", "ZXYZ", "XXYZ"]


@st.composite
def skeletons(draw) -> Skeleton:
    """Up to eight joints in any tree, in any unit and axes, with channels that can turn to anywhere or none."""
    count = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tree = [-1] + [int(rng.integers(j)) for j in range(1, count)]
    order = depth_first_joints(tree)
    parents = tuple(order.index(tree[j]) if tree[j] >= 0 else -1 for j in order)
    leaves = [j for j in range(count) if j not in parents or rng.random() < 0.2]
    ends = tuple(End(j, readonly(rng.normal(size=3))) for j in leaves for _ in range(rng.integers(3)))
    return Skeleton(
        tuple(draw(st.lists(NAMES, min_size=count, max_size=count))),
        parents,
        readonly(rng.normal(size=(count, 3)) * rng.choice([0, 1], size=(count, 1))),
        ends,
        draw(conventions(count)),
    )


@st.composite
def conventions(draw, count: int) -> Convention:
    """Units from millimetres to yards, axes of all kinds, channels or none."""
    places = ("Yposition", "Xposition", "Zposition")
    spins = [tuple(f"{axis}rotation" for axis in draw(st.sampled_from(ORDERS))) for _ in range(count)]
    channels = (places + spins[0], *(draw(st.sampled_from([(), places])) + spin for spin in spins[1:]))
    turned = readonly(Rotation.from_rotvec([0.3, -0.2, 1.1]).as_matrix())
    return Convention(
        draw(st.sampled_from([0.001, 0.01, 0.0254 / 0.45, 1.0, 0.9144])),
        draw(st.sampled_from([readonly(np.eye(3)), Y_UP, turned])),
        draw(st.sampled_from([(), channels])),
    )


@st.composite
def clips(draw) -> Clip:
    """Up to nine frames of such a skeleton, some joints leaving their offsets."""
    skeleton = draw(skeletons())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    frames = draw(st.integers(1, 9))
    rotation = quat_normalize(
        quat_exp(rng.normal(size=(frames, skeleton.count, 3)) * draw(st.sampled_from([0, 0.1, 2])))
    )
    slides = np.tile(skeleton.offsets, (frames, 1, 1))
    slides[:, 1:] += rng.normal(size=(frames, skeleton.count - 1, 3)) * rng.choice([0, 1], size=(skeleton.count - 1, 1))
    return clip_from(
        "random",
        skeleton,
        draw(st.sampled_from([24.0, 120.0, 59.94, 1 / 0.0083333])),
        rng.normal(size=(frames, 3)),
        rotation,
        draw(st.sampled_from([None, slides])),
    )
