"""Finding legs and arms from the joint tree, for skeletons whose names do not identify them.

Limbs are two pairs of chains of equal length: legs below, arms above. Only lengths and the tree are used, so unit, axes
and zero pose do not matter. Joints at the same point, such as a hip of three hinges, count as one: the last of them.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from poise.arrays import Array
from poise.motion.skeleton import Skeleton, joint_ancestors

_LIMB = 0.3  # of the longest branch: shorter branches are fingers, ears or toes
_ALIKE = 0.15  # of the longest bone: largest difference between corresponding bones of a left and a right chain
_NOTHING = 1e-3  # of the longest branch: shorter bones count as of zero length
_NEAR = 0.05  # of the arm: shoulders are farther apart than this
_HAND = 0.8  # of the forearm: largest usual length of a hand, to the fingertips

Pair = tuple[dict[str, int], dict[str, int]]  # part -> joint, of two limbs


@dataclass(frozen=True)
class JointChain:
    """The path from a branching down to its farthest tip, without bones of zero length."""

    joints: tuple[int, ...]
    lengths: tuple[float, ...]  # of the bone below each joint


def find_limbs(skeleton: Skeleton) -> tuple[Pair, Pair] | None:
    """The pair of legs and the pair of arms, left and right not distinguished; None unless both are found."""
    pairs = _limb_chain_pairs(skeleton)
    for hip, leg, other_leg in pairs:
        for shoulder, arm, other_arm in pairs:
            if shoulder != hip and hip in joint_ancestors(skeleton, shoulder):
                first, second = arm.joints[0], other_arm.joints[0]
                gap = np.linalg.norm(skeleton.offsets[first] - skeleton.offsets[second])  # shoulders are apart
                collars = skeleton.parents[first] == skeleton.parents[second] and bool(gap < _NEAR * sum(arm.lengths))
                legs = _leg_parts(leg), _leg_parts(other_leg)
                arms = _arm_parts(arm, collars), _arm_parts(other_arm, collars)
                if all(legs) and all(arms):
                    return legs, arms
    return None


def tip_distances(skeleton: Skeleton) -> Array:
    """Distance (J,) from each joint to its farthest tip, along the bones."""
    reach = np.zeros(skeleton.count)
    for end in skeleton.ends:
        reach[end.joint] = max(reach[end.joint], float(np.linalg.norm(end.offset)))
    for joint in range(skeleton.count - 1, 0, -1):
        parent = skeleton.parents[joint]
        reach[parent] = max(reach[parent], reach[joint] + float(np.linalg.norm(skeleton.offsets[joint])))
    return reach


def _limb_chain_pairs(skeleton: Skeleton) -> list[tuple[int, JointChain, JointChain]]:
    """Equal chains as (joint where they branch, chain, chain), from the root on, a joint's longest pair first."""
    reach = tip_distances(skeleton)
    branches = {joint: below for joint, below in enumerate(skeleton.children) if len(below) > 1}
    longest = max((float(reach[child]) for below in branches.values() for child in below), default=0.0)
    pairs = []
    for joint, below in branches.items():
        chains = [_longest_chain(skeleton, reach, child, _NOTHING * longest) for child in below]
        chains = [c for c in chains if len(c.joints) > 1 and sum(c.lengths) > _LIMB * longest]
        twins = [(joint, *_equal_chains(a, b)) for a, b in combinations(chains, 2) if _chains_alike(a, b)]
        pairs += sorted(twins, key=lambda twin: -sum(twin[1].lengths))
    return pairs


def _longest_chain(skeleton: Skeleton, reach: Array, joint: int, nothing: float) -> JointChain:
    joints: list[int] = [joint]
    lengths: list[float] = []
    while True:
        below = skeleton.children[joint]
        bones = {child: float(np.linalg.norm(skeleton.offsets[child])) for child in below}
        if not below or max(bones[c] + reach[c] for c in below) < reach[joint] - nothing:
            return JointChain(tuple(joints), (*lengths, float(reach[joint])))
        joint = max(below, key=lambda c: bones[c] + reach[c])
        if bones[joint] > nothing:
            joints.append(joint)
            lengths.append(bones[joint])
        else:
            joints[-1] = joint


def _chains_alike(a: JointChain, b: JointChain) -> bool:
    """Whether the bones of two chains have equal lengths; the last bone is ignored: a hand may hold a sword."""
    count = min(len(a.lengths), len(b.lengths))
    if count < 3 and len(a.lengths) != len(b.lengths):
        return False
    kept = max(2, count - 1)
    return bool(np.all(np.abs(np.subtract(a.lengths[:kept], b.lengths[:kept])) < _ALIKE * max(a.lengths[:kept])))


def _equal_chains(a: JointChain, b: JointChain) -> tuple[JointChain, JointChain]:
    """Both chains cut to the same number of joints, with the shorter length of each pair of bones."""
    lengths = tuple(min(pair) for pair in zip(a.lengths, b.lengths, strict=False))
    return JointChain(a.joints[: len(lengths)], lengths), JointChain(b.joints[: len(lengths)], lengths)


def _leg_parts(chain: JointChain) -> dict[str, int]:
    """Joint of each part of a leg: thigh and shank are the longest two bones in a row; empty without a foot below."""
    first = int(np.argmax(_bone_pair_lengths(chain)))
    names = ("thigh", "shank", "foot", "toes")
    found = dict(zip(names, chain.joints[first:], strict=False))
    if "toes" in found and chain.lengths[first + 3] <= 0:  # the end of the foot, not a joint
        del found["toes"]
    return found if "foot" in found else {}


def _arm_parts(chain: JointChain, begins_with_collar: bool) -> dict[str, int]:
    """Joint of each part of an arm: the two longest bones in a row, unless the bones beyond are too long for a hand."""
    lengths = np.array(chain.lengths)
    hands = np.append(np.cumsum(lengths[::-1])[::-1][2:], 0.0)  # length beyond each pair
    merit = _bone_pair_lengths(chain) - np.maximum(hands - _HAND * lengths[1:], 0.0)
    if begins_with_collar:
        merit[0] = -np.inf
    first = int(np.argmax(merit))
    found = dict(zip(("upper_arm", "forearm", "hand"), chain.joints[first:], strict=False))
    if first > 0:
        found["clavicle"] = chain.joints[first - 1]
    return found if "forearm" in found else {}


def _bone_pair_lengths(chain: JointChain) -> Array:
    """Total lengths of all pairs of consecutive bones in a chain."""
    return np.add(chain.lengths[:-1], chain.lengths[1:])
