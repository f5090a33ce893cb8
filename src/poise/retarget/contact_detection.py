"""Contact detection: which parts of a body are in contact in each frame, found from the body's motion alone.

A part in contact is slow. A slow part carries weight if for a while no slow part is lower, the centre of mass is above
the part and the body is not in free fall. This rule finds contacts on unknown stairs and slopes and excludes a foot
that is held up. The floor, and places where a part carries weight, are ground for other slow parts. A body that is
neither supported nor falling hangs by its hands.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import percentile_filter

from poise.arrays import Array, Mask, drop_short_runs, hysteresis_mask, readonly, true_runs
from poise.body.link_kinematics import LinkKinematics
from poise.reference.body_clip import BodyClip
from poise.retarget.smooth import smooth_clip

GRAVITY = 9.81  # m/s^2
_CUTOFF = 12.0  # Hz: faster motion is capture noise
_LONG = 0.5  # s: a shorter time off the ground may be a jump
_BRIEF = 0.2  # s: feet can be slow this long where a swing reverses, without carrying weight
_BORNE = 0.5  # a body off the ground hangs if it is not in free fall for at least this fraction of the time
_AROUND = 0.25  # m: a gripping hand stays this near to its median place, although it rolls about the bar
LOW = 20.0  # Percentile of a part's heights while it rests that is its resting height: rests end with rolling off
_LATELY = 1.0  # s: over this time the resting height is constant
_PLACE = 0.1  # m: contacts of a part that are nearer to each other are at the same place
_LOST, _RETURN = 1.0, 0.3  # s: longest loss of all contacts; time before and after it in which a foot stands
_STRIDE = 0.4  # m: around a part that carries weight, the ground extends this far


@dataclass(frozen=True)
class ContactSettings:
    """Thresholds at which a part rests or bears weight, of an adult; `find_contacts` scales them to the body."""

    slow: float = 0.3  # m/s: a part below this speed starts to rest
    fast: float = 0.5  # m/s: a resting part rests until it exceeds this speed
    brisk: float = 2.0  # m/s: if the body moves faster than this, `slow` and `fast` grow in proportion
    near: float = 0.04  # m: heights this close belong to the same ground
    lifted: float = 0.01  # m above its resting height at which a part is no longer in contact
    shortest: float = 0.05  # s: shorter contacts and gaps are ignored
    fall: float = 0.6  # fraction of gravity: a body whose centre of mass accelerates faster downward is in free fall


@dataclass(frozen=True, eq=False)
class _Rest:
    """An interval in which a contact part is slow, from frame `start` to before `stop`."""

    part: int  # index of the contact part
    start: int
    stop: int
    level: float  # m, resting height
    place: Array  # (2,) m, median position on the ground


def find_contacts(clip: BodyClip) -> BodyClip:
    """The clip with its contacts `down` (T, P) filled in: T frames, P contact parts."""
    chosen = _settings_for_body(clip)
    smooth = smooth_clip(replace(clip, down=None), _CUTOFF)
    centre, height, tilt = contact_part_places(smooth)
    com = smooth.centre_of_mass
    slow = _resting_parts(centre, com, clip.rate, chosen)
    slow &= tilt < chosen.near
    rests = _rest_intervals(centre, height, slow, clip.rate, chosen)
    rests = _without_captured_lifts(rests, chosen)
    bearing = _bearing_rests(rests, slow, height, com, clip.rate, chosen)
    bearing = _without_raised_heels(bearing, [part.name for part in clip.parts], chosen)
    over = np.full(slow.shape, np.inf)  # m above the resting height
    for rest in bearing:
        span = slice(rest.start, rest.stop)
        above = _height_above_rest(height[span, rest.part], rest.level, clip.rate, chosen)
        over[span, rest.part] = np.minimum(over[span, rest.part], above)
    down = over < chosen.lifted
    falling = _free_fall_frames(com, clip.rate, chosen)
    down = _without_sliding_toes(clip, down)
    over[:, [part.name.endswith("_tip") for part in clip.parts]] = np.inf
    down |= _lowest_of_unsupported_frames(down, over, falling, chosen)
    down |= _lost_contacts(clip, down, centre, falling, chosen)
    down = hanging_hands(clip, down, centre, com, falling)
    shortest = max(2, round(chosen.shortest * clip.rate))
    for part, column in enumerate(down.T):
        down[:, part] = drop_short_runs(column, shortest, shortest)
    return replace(clip, down=readonly(_without_sliding_toes(clip, down), bool))


def _height_above_rest(height: Array, level: float, rate: float, settings: ContactSettings) -> Array:
    """(T,) m: heights of a resting part above its resting height: `level`, or a second's low percentile if higher."""
    size = round(_LATELY * rate)
    lately = percentile_filter(height, LOW, size, mode="reflect") if len(height) > size else level
    return np.asarray(height - np.clip(lately, level, level + settings.near / 2))


def _lowest_of_unsupported_frames(down: Mask, over: Array, falling: Mask, settings: ContactSettings) -> Mask:
    """(T, P) the lowest resting parts, by height `over` (T, P) m, where nothing is in contact without a fall."""
    unsupported = ~down.any(axis=1) & ~falling
    low = over < np.minimum(np.min(over, axis=1, initial=np.inf) + settings.lifted, settings.near / 2)[:, None]
    return np.asarray(low & unsupported[:, None])


def _without_captured_lifts(rests: list[_Rest], settings: ContactSettings) -> list[_Rest]:
    """The rests without those above a lower rest of the same part at the same place: one place has one ground."""
    return [
        rest
        for rest in rests
        if not any(
            other.part == rest.part
            and other.level < rest.level - settings.near
            and np.linalg.norm(other.place - rest.place) < _PLACE
            for other in rests
        )
    ]


def _lost_contacts(clip: BodyClip, down: Mask, centre: Array, falling: Mask, settings: ContactSettings) -> Mask:
    """(T, P) feet in frames in which nothing is in contact although the body does not fall, as when markers are lost.

    What stood at a place shortly before, and stands there again shortly after, has stood there all the while, except
    for the parts of a foot that rise more than its others, as its heel. Otherwise what stood before goes on to stand
    until what stands next is nearer to its place.
    """
    out, hands = np.zeros_like(down), {hand.link for hand in clip.body.hands}
    feet = np.array([part.name not in hands for part in clip.parts], bool)
    near, longest = round(_RETURN * clip.rate), round(_LOST * clip.rate)
    for start, stop in true_runs(np.asarray(~down.any(axis=1))):
        if start == 0 or stop == clip.frames or stop - start > longest or falling[start:stop].any():
            continue
        first, found = max(0, start - near), False
        risen = np.where(down, 0.0, np.inf)  # m above the line between the heights at which a part stands
        for part in np.flatnonzero(feet & down[first:start].any(axis=0) & down[stop : stop + near].any(axis=0)):
            last, next_ = first + np.flatnonzero(down[first:start, part])[-1], stop + int(down[stop:, part].argmax())
            if np.linalg.norm(centre[next_, part, :2] - centre[last, part, :2]) < _PLACE:
                when, height = np.arange(last, next_), centre[:, part, 2]
                risen[when, part] = height[when] - np.interp(when, [last, next_], height[[last, next_]])
                found = True
        for limb in {part.limb for part in clip.parts}:
            mine = [k for k, part in enumerate(clip.parts) if part.limb == limb]
            least = risen[:, mine].min(axis=1, keepdims=True)
            out[:, mine] |= np.isfinite(risen[:, mine]) & (risen[:, mine] <= least + settings.lifted)
        before, after = feet & down[start - 1], feet & down[stop]
        if not found and before.any() and after.any():
            away = [np.linalg.norm(centre[start:stop, side] - centre[at, side], axis=-1).min(axis=1)
                    for side, at in ((before, start - 1), (after, stop))]  # fmt: skip
            turn = start + int(np.argmax(np.append(away[0] > away[1], True)))
            out[start:turn, before] = out[turn:stop, after] = True
    return out


def contact_part_places(clip: BodyClip) -> tuple[Array, Array, Array]:
    """For each contact part, in m: mean (T, P, 3), lowest height (T, P) and range of heights (T, P) of its points."""
    points = [(part.link, point) for part in clip.parts for point in part.points]
    places, _ = LinkKinematics(clip.body, points).at(clip.qpos)
    ends = np.cumsum([len(part.points) for part in clip.parts])[:-1]
    split = np.split(places, ends, axis=1) if clip.parts else []
    if not split:
        return np.zeros((clip.frames, 0, 3)), np.zeros((clip.frames, 0)), np.zeros((clip.frames, 0))
    low, high = (np.stack([edge(p[..., 2], axis=1) for p in split], axis=1) for edge in (np.min, np.max))
    return np.stack([p.mean(axis=1) for p in split], axis=1), low, high - low


def _settings_for_body(clip: BodyClip) -> ContactSettings:
    """Settings scaled to the body: lengths with the body's size, speeds and times with its square root."""
    usual, size = ContactSettings(), clip.body.standing[2] / 0.93
    root = np.sqrt(size)
    factors = {"slow": root, "fast": root, "brisk": root, "near": size, "lifted": size, "shortest": root}
    return replace(usual, **{name: getattr(usual, name) * factor for name, factor in factors.items()})


def _resting_parts(centre: Array, com: Array, rate: float, settings: ContactSettings) -> Mask:
    """(T, P) whether each part rests: its speed over about 30 ms is low. `centre` (T, P, 3) m: places of the parts."""
    pace = _point_speeds(com[:, None, :2], round(rate / 4), rate)
    speed = _point_speeds(centre, round(rate / 60), rate) / np.maximum(pace / settings.brisk, 1.0)
    out = np.zeros(speed.shape, bool)
    for part, column in enumerate(speed.T):
        out[:, part] = hysteresis_mask(column, settings.slow, settings.fast)
    return out


def _point_speeds(place: Array, reach: int, rate: float) -> Array:
    """(T, P) m/s: mean speed of points (T, P, n) from `reach` frames before to `reach` after; fewer at the ends."""
    frames, wide = np.arange(len(place)), max(reach, 1)
    after, before = np.minimum(frames + wide, len(place) - 1), np.maximum(frames - wide, 0)
    return np.asarray(
        np.linalg.norm(place[after] - place[before], axis=-1) * rate / np.maximum(after - before, 1)[:, None]
    )


def _rest_intervals(centre: Array, height: Array, slow: Mask, rate: float, settings: ContactSettings) -> list[_Rest]:
    least = settings.shortest * rate
    return [
        _Rest(part, a, b, float(np.percentile(height[a:b, part], LOW)), np.median(centre[a:b, part, :2], axis=0))
        for part in range(slow.shape[1])
        for a, b in true_runs(slow[:, part])
        if b - a >= least or a == 0 or b == len(slow)
    ]


def _bearing_rests(
    rests: list[_Rest], slow: Mask, height: Array, com: Array, rate: float, settings: ContactSettings
) -> list[_Rest]:  # fmt: skip
    """The rests that carry the body at some time, and the rests on the floor or on the ground of a carrying rest."""
    lowest = np.min(np.where(slow, height, np.inf), axis=1, initial=np.inf)
    held = ~_free_fall_frames(com, rate, settings)
    enough = settings.shortest * rate

    def carries_body(rest: _Rest) -> bool:
        span = slice(rest.start, rest.stop)
        at = height[span, rest.part]
        alone = (at < lowest[span] + settings.near) & (at < rest.level + settings.near) & held[span]
        return int(np.sum(alone & (at < com[span, 2]))) >= min(enough, rest.stop - rest.start)

    def rests_on_ground(rest: _Rest) -> bool:
        if abs(rest.level) < settings.near:
            return True
        return any(
            abs(rest.level - other.level) < settings.near and np.linalg.norm(rest.place - other.place) < _STRIDE
            for other in carrying
        )

    carrying = [rest for rest in rests if carries_body(rest)]
    return [rest for rest in rests if rest in carrying or rests_on_ground(rest)]


def _without_raised_heels(rests: list[_Rest], names: list[str], settings: ContactSettings) -> list[_Rest]:
    """The rests without those of heels that stay above the ball of their foot, as on tiptoe and in a run."""

    def is_raised(heel: _Rest) -> bool:
        limb, _, end = names[heel.part].rpartition("_")
        balls = [
            ball.level
            for ball in rests
            if names[ball.part] == f"{limb}_ball" and ball.start < heel.stop and heel.start < ball.stop
        ]
        return end == "heel" and bool(balls) and heel.level > max(balls) + settings.lifted

    return [rest for rest in rests if not is_raised(rest)]


def _free_fall_frames(com: Array, rate: float, settings: ContactSettings) -> Mask:
    """(T,) whether the body is in free fall: the path (T, 3) of its centre of mass bends downward over 0.1 s."""
    reach = max(1, round(0.05 * rate))
    padded = np.pad(com[:, 2], reach, mode="reflect", reflect_type="odd") if len(com) > reach else com[:, 2]
    if len(padded) == len(com):
        return np.zeros(len(com), bool)
    bend = padded[2 * reach :] - 2 * padded[reach:-reach] + padded[: -2 * reach]
    return np.asarray(bend * (rate / reach) ** 2 < -settings.fall * GRAVITY)


def hanging_hands(clip: BodyClip, down: Mask, centre: Array, com: Array, falling: Mask) -> Mask:
    """(T, P) contacts `down`, plus hands that grip above the centre of mass (T, 3) m while nothing else supports."""
    names = {hand.link for hand in clip.body.hands}
    hands = [k for k, part in enumerate(clip.parts) if part.name in names]
    others = [k for k in range(len(clip.parts)) if k not in hands]
    out = np.array(down)
    off = drop_short_runs(np.asarray(~down.any(axis=1)), round(_BRIEF * clip.rate), 1)
    for start, stop in true_runs(off):
        if stop - start < _LONG * clip.rate or np.mean(~falling[start:stop]) < _BORNE:
            continue
        for hand in hands:
            place = centre[start:stop, hand]
            near = np.linalg.norm(place - np.median(place, axis=0), axis=1) < _AROUND
            for first, last in true_runs(near & (place[:, 2] > com[start:stop, 2])):
                if last - first >= _LONG * clip.rate:
                    out[start + first : start + last, others] = False
                    out[start + first : start + last, hand] = True
    return out


def _without_sliding_toes(clip: BodyClip, down: Mask) -> Mask:
    """(T, P) contacts without toe tips in frames in which heel or ball is up: toe tips slide while the foot rolls."""
    out = np.array(down)
    names = [part.name for part in clip.parts]
    for index, name in enumerate(names):
        if name.endswith("_tip"):
            heel = max(k for k in range(index) if names[k].endswith("_heel"))
            out[:, index] = down[:, heel] & down[:, heel + 1]
    return out
