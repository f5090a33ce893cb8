"""Which joints are limbs where names do not tell: two pairs of equal chains, legs below, arms above.

Only lengths and the tree are used, so that units, axes and the zero pose do not matter. Joints in one place, such
as a hip of three hinges, count as one, whose turn is that of the last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.motion.skeleton import Skeleton

_LIMB = 0.3  # of the longest branch: shorter ones are fingers, ears, toes
_ALIKE = 0.15  # by which the lengths of a left and a right chain may differ
_NOTHING = 1e-3  # of the same: bones shorter than this have no length
_NEAR = 0.05  # of an arm: shoulders are farther from each other
_HAND = 0.8  # of the forearm, to the tips of the fingers

Pair = tuple[dict[str, int], dict[str, int]]


@dataclass(frozen=True)
class JointChain:
    """The way from a branch down to its farthest tip, in joints that have length."""

    joints: tuple[int, ...]
    lengths: tuple[float, ...]  # of the bone that each joint turns


def limb_parts(skeleton: Skeleton) -> tuple[Pair, Pair] | None:
    """The two legs and the two arms, as part to joint, sides not told; None if there are no such."""
    pairs = _limb_pairs(skeleton)
    for hip, leg, other_leg in pairs:
        for shoulder, arm, other_arm in pairs:
            if shoulder != hip and hip in ancestors(skeleton, shoulder):
                collars = _begin_together(skeleton, arm, other_arm)
                legs, arms = (_leg(leg), _leg(other_leg)), (_arm(arm, collars), _arm(other_arm, collars))
                if all(legs) and all(arms):
                    return legs, arms
    return None


def ancestors(skeleton: Skeleton, joint: int) -> list[int]:
    """The joint and all above it, up to the root."""
    way = [joint]
    while skeleton.parents[way[-1]] >= 0:
        way.append(skeleton.parents[way[-1]])
    return way


def reaches(skeleton: Skeleton) -> Array:
    """(J,) how far it is from each joint to its farthest tip, along the bones."""
    reach = np.zeros(skeleton.count)
    for end in skeleton.ends:
        reach[end.joint] = max(reach[end.joint], float(np.linalg.norm(end.offset)))
    for joint in range(skeleton.count - 1, 0, -1):
        parent = skeleton.parents[joint]
        reach[parent] = max(reach[parent], reach[joint] + float(np.linalg.norm(skeleton.offsets[joint])))
    return reach


def _limb_pairs(skeleton: Skeleton) -> list[tuple[int, JointChain, JointChain]]:
    """Branchings with two equally long chains, nearest to the root first, longest first where there are several."""
    reach = reaches(skeleton)
    branches = {joint: below for joint, below in enumerate(skeleton.children) if len(below) > 1}
    longest = max((float(reach[child]) for below in branches.values() for child in below), default=0.0)
    pairs = []
    for joint, below in branches.items():
        chains = [_chain(skeleton, reach, child, _NOTHING * longest) for child in below]
        chains = [c for c in chains if len(c.joints) > 1 and sum(c.lengths) > _LIMB * longest]
        twins = [(joint, *_common(a, b)) for i, a in enumerate(chains) for b in chains[i + 1 :] if _alike(a, b)]
        pairs += sorted(twins, key=lambda twin: -sum(twin[1].lengths))
    return pairs


def _chain(skeleton: Skeleton, reach: Array, joint: int, nothing: float) -> JointChain:
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


def _alike(a: JointChain, b: JointChain) -> bool:
    """Are the bones of two chains equally long? The last do not count: one hand may hold a sword."""
    count = min(len(a.lengths), len(b.lengths))
    if count < 3 and len(a.lengths) != len(b.lengths):
        return False
    kept = max(2, count - 1)
    return bool(np.all(np.abs(np.subtract(a.lengths[:kept], b.lengths[:kept])) < _ALIKE * max(a.lengths[:kept])))


def _common(a: JointChain, b: JointChain) -> tuple[JointChain, JointChain]:
    """Both chains as far as they are alike."""
    lengths = tuple(min(pair) for pair in zip(a.lengths, b.lengths, strict=False))
    return JointChain(a.joints[: len(lengths)], lengths), JointChain(b.joints[: len(lengths)], lengths)


def _leg(chain: JointChain) -> dict[str, int]:
    """Thigh and shank are the longest two bones in a row; empty without a foot below them."""
    first = int(np.argmax(_in_a_row(chain)))
    names = ("thigh", "shank", "foot", "toes")
    found = dict(zip(names, chain.joints[first:], strict=False))
    if "toes" in found and chain.lengths[first + 3] <= 0:  # the end of the foot, not a joint
        del found["toes"]
    return found if "foot" in found else {}


def _begin_together(skeleton: Skeleton, a: JointChain, b: JointChain) -> bool:
    """Do both chains start in one place? Shoulders do not, collarbones may."""
    gap = np.linalg.norm(skeleton.offsets[a.joints[0]] - skeleton.offsets[b.joints[0]])
    return bool(skeleton.parents[a.joints[0]] == skeleton.parents[b.joints[0]] and gap < _NEAR * sum(a.lengths))


def _arm(chain: JointChain, begins_with_collar: bool) -> dict[str, int]:
    """Upper arm and forearm are the longest two, what would be too long for a hand being held against them.

    Some collarbones are longer than forearms.
    """
    lengths = np.array(chain.lengths)
    hands = np.append(np.cumsum(lengths[::-1])[::-1][2:], 0.0)  # what is beyond each two
    merit = _in_a_row(chain) - np.maximum(hands - _HAND * lengths[1:], 0.0)
    if begins_with_collar:
        merit[0] = -np.inf
    first = int(np.argmax(merit))
    found = dict(zip(("upper_arm", "forearm", "hand"), chain.joints[first:], strict=False))
    if first > 0:
        found["clavicle"] = chain.joints[first - 1]
    return found if "forearm" in found else {}


def _in_a_row(chain: JointChain) -> Array:
    """Lengths of each two bones that follow each other."""
    return np.add(chain.lengths[:-1], chain.lengths[1:])
