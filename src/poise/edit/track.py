"""Foot tracks: the frames of a take with the positions, stance phases and hip joints of the feet."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from poise.arrays import Array, Mask, true_runs
from poise.body.body import Body
from poise.edit.limbs import chain_joints, foot_parts, joint_element_id, require_legs
from poise.edit.take import FrameSketch, Take
from poise.errors import PoiseError
from poise.rotations import quat_rotate

PATH_SIGMA = 0.3  # s: filter that removes the sway and surge of single steps from the root's path


@dataclass(frozen=True)
class StancePhase:
    """Stance phase of a foot, from frame `begin` to before frame `end`."""

    foot: int
    begin: int
    end: int


@dataclass(frozen=True, eq=False)
class TakeFootTrack:
    """K frames of a take, from frame `first` on, with positions of the F feet and their hips."""

    body: Body
    rate: float
    first: int
    qpos: Array  # (K, nq)
    down: Mask  # (K, P)
    place: Array  # (K, F, 3) m, foot links in the world
    turn: Array  # (K, F, 4)
    hip: Array  # (K, F, 3) m, hip joints

    @property
    def frames(self) -> int:
        """Number of frames, K."""
        return len(self.qpos)

    @property
    def time(self) -> Array:
        """(K,) s: time in the take of each frame."""
        return np.asarray((self.first + np.arange(self.frames)) / self.rate)

    @cached_property
    def path(self) -> Array:
        """(K, 2) m: ground path of the root without the sway and surge of steps. Both ends are unchanged."""
        return gaussian_smoothed(self.qpos[:, :2], PATH_SIGMA * self.rate)

    @cached_property
    def stances(self) -> tuple[StancePhase, ...]:
        """All stance phases in order of their beginnings."""
        found = []
        for foot, bears in enumerate(self.bears.T):
            found += [StancePhase(foot, begin, end) for begin, end in true_runs(bears)]
        return tuple(sorted(found, key=lambda s: (s.begin, s.foot)))

    @cached_property
    def bears(self) -> Mask:
        """(K, F) whether any contact part of the foot is in contact."""
        return np.stack([self.down[:, parts].any(axis=1) for parts in foot_parts(self.body)], axis=1)

    def sole(self, foot: int, frame: int) -> Array:
        """(4, 3) m: world positions of the foot's contact points in row `frame` of the track."""
        return np.asarray(self.place[frame, foot] + quat_rotate(self.turn[frame, foot], self.body.feet[foot].points))

    def footprint(self, stance: StancePhase) -> Array:
        """(3,) m: middle of the sole in the middle of a stance phase."""
        return np.asarray(self.sole(stance.foot, self.middle(stance)).mean(axis=0))

    def middle(self, stance: StancePhase) -> int:
        """Row of the middle of a stance phase; in a phase longer than 1 s, the row half a second after its start."""
        return stance.begin + min(stance.end - 1 - stance.begin, round(self.rate)) // 2


class TakeFootTrackSampler:
    """Reads tracks of a take. Frames that were read once are kept."""

    def __init__(self, take: Take) -> None:
        self._take, self._sketch = take, foot_sketches(take)
        self._columns: list[NDArray[Any]] = []

    def track(self, first: int, stop: int) -> TakeFootTrack:
        """Track from frame `first` to before `stop` or to the take's end. `first` must be the same in every call."""
        take = self._take
        end = stop if take.duration is None else min(stop, int(np.ceil(take.duration * take.rate - 1e-9)) + 1)
        end = max(end, first + 2)
        known = len(self._columns[0]) if self._columns else 0
        rows = [self._sketch(number) for number in range(first + known, end)]
        if any(row.down is None for row in rows):
            raise PoiseError(f"motion '{take.name}' has no contacts of its feet: find its contacts first")
        fresh = [np.stack(column) for column in zip(*rows, strict=True)]
        if not known:
            self._columns = fresh
        elif fresh:
            self._columns = [np.concatenate(pair) for pair in zip(self._columns, fresh, strict=True)]
        return TakeFootTrack(take.body, take.rate, first, *self._columns)


def foot_sketches(take: Take) -> Callable[[int], FrameSketch]:
    """Function that returns the sketch of a frame: `take.sketch` if the take has one, else read from solved frames."""
    if take.sketch is not None:
        return take.sketch
    body, model, data = take.body, take.body.model, mujoco.MjData(take.body.model)
    require_legs(body, "an edit of steps")
    feet = [body.link_id(foot.link) for foot in body.feet]
    hips = [joint_element_id(body, chain_joints(body, foot.link)[0]) for foot in body.feet]

    def read_sketch(number: int) -> FrameSketch:
        qpos, down = take.frame(number)
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        return FrameSketch(qpos, down, data.xpos[feet], data.xquat[feet], data.xanchor[hips])

    return read_sketch


def gaussian_smoothed(values: Array, sigma: float) -> Array:
    """`values` (K, ...) smoothed along K by a Gaussian of `sigma` rows. Straight lines and both ends are unchanged."""
    reach = min(int(np.ceil(3 * sigma)), len(values) - 1)
    if reach < 1:
        return np.array(values)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    flat = np.asarray(values, float).reshape(len(values), -1)
    padded = np.pad(flat, ((reach, reach), (0, 0)), mode="reflect", reflect_type="odd")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)
    return np.asarray((windows @ (kernel / kernel.sum())).reshape(values.shape))


def smooth_cover(values: Array, window: float, sigma: float) -> Array:
    """(K,) a smooth curve over `values` (K,): their maxima within `window` rows, smoothed by a Gaussian of `sigma`."""
    return gaussian_smoothed(maximum_filter1d(values, 2 * round(window) + 1, mode="nearest"), sigma)
