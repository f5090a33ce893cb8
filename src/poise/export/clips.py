"""The motion of a performer as a clip of a skeleton: the user's own if the body was made from one."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.body.rigging import Rigging, plain_rigging, plant_feet_of_rigged_body
from poise.errors import PoiseError
from poise.motion.clip import Clip, clip_at_file_place, clip_from, clip_with_file_offsets
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.rotations import slerp
from poise.world.recording import Recording

FASTEST = 10_000.0  # frames per second: a larger rate is a mistake, and would fill the memory
Source = Recording | Dynamic | BodyClip | Clip  # What can be exported


@dataclass(frozen=True)
class ExportPart:
    """The part of a motion that is exported, and its rate."""

    start: float = 0.0  # s
    end: float | None = None  # s; None for the end of the motion
    fps: float | None = None  # frames per second; None for the rate of the user's file, else of the motion

    def __post_init__(self) -> None:
        """Raise if the part or the rate is invalid."""
        if not 0 <= self.start < (np.inf if self.end is None else self.end) or not (self.end or 0.0) < np.inf:
            end = "the end" if self.end is None else f"{self.end:g}"
            raise PoiseError(f"cannot export from {self.start:g} to {end} s: the start must come before the end")
        if self.fps is not None and not 0 < self.fps <= FASTEST:
            raise PoiseError(f"fps must be positive and at most {FASTEST:g}, not {self.fps:g}")


WHOLE = ExportPart()


def performer_clip(source: Source, part: ExportPart = WHOLE) -> Clip:
    """The motion of the first performer; a simulated one at the rate of the user's file, if the body has one."""
    clip, rate = _full_performer_clip(source)
    if part != WHOLE and (part.start > clip.seconds or (part.end or 0.0) > clip.seconds + 1.0 / clip.rate):
        raise PoiseError(f"the motion lasts {clip.seconds:.2f} s: choose a part that lies within")
    rate = part.fps or rate or clip.rate
    if part.start == 0 and part.end is None and rate == clip.rate:
        return clip
    return resample_clip_for_export(clip, rate, part.start, part.end)


def clip_for_bvh(clip: Clip, skeleton: str = "file", place: str = "file") -> Clip:
    """The clip as the user's file has it, or as Poise has it ("repaired", "origin"): its skeleton, and its place."""
    filed = clip_with_file_offsets(clip) if skeleton == "file" else clip
    return clip_at_file_place(filed) if place == "file" else filed


def _full_performer_clip(source: Source) -> tuple[Clip, float | None]:
    """The whole motion of the first performer, and the rate (Hz) of the user's file if the motion has another one."""
    if isinstance(source, Clip):
        return source, None
    if isinstance(source, BodyClip):
        return source.skeleton_clip(), None
    if isinstance(source, Dynamic):
        given = source.clip.body.rigging
        return source.clip.skeleton_clip(), None if given is None else given.rate
    rigging = rigging_for_export(source)
    motion = source.meta.get("motion")
    name = Path(motion).stem if isinstance(motion, str) and motion else "motion"
    clip = rigging.clip(source.model, source.qpos, 1 / source.step, name)
    if source.meta.get("rigging") is not None:
        clip = plant_feet_of_rigged_body(clip, rigging, source.model, source.qpos, source.meta.get("feet") or ())
    return clip, rigging.rate


def rigging_for_export(recording: Recording) -> Rigging:
    """The rigging of the first performer: the one in the recording, else one joint per link."""
    saved = recording.meta.get("rigging")
    if saved is None:
        return plain_rigging(recording.model, recording.root)
    try:
        rigging = Rigging.from_dict(saved)
        fault = rigging.skeleton.fault()
    except (KeyError, TypeError, ValueError):
        fault = "a skeleton or its links are missing"
    if fault:
        raise PoiseError(f"the recording's rigging is damaged: {fault}")
    links = {recording.model.body(body).name for body in range(recording.model.nbody)}
    for link in rigging.links:
        if link not in links:
            raise PoiseError(f"the recording's rigging is damaged: its model has no link '{link}'")
    return rigging


def resample_clip_for_export(clip: Clip, rate: float, start: float = 0.0, end: float | None = None) -> Clip:
    """The clip from `start` to `end` (s) at another rate (Hz); its last frame is not after the end."""
    seconds = min(clip.seconds if end is None else end, clip.seconds) - start
    frames = 1 + int(np.floor(seconds * rate + 1e-6))  # the tolerance keeps a frame exactly at the end
    at = np.minimum((start + np.arange(frames) / rate) * clip.rate, clip.frames - 1)
    before = np.floor(at + 1e-6).astype(int)
    after = np.minimum(before + 1, clip.frames - 1)
    share = np.maximum(at - before, 0.0)

    def interpolated(track: Array) -> Array:
        weight = np.expand_dims(share, tuple(range(1, track.ndim)))
        return np.asarray((1 - weight) * track[before] + weight * track[after])

    rotation = slerp(clip.rotation[before], clip.rotation[after], share[:, None])
    translation = None if clip.translation is None else interpolated(clip.translation)
    return clip_from(clip.name, clip.skeleton, rate, interpolated(clip.position), rotation, translation)
