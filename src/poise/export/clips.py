"""The motion of a performer as a clip of a skeleton: the user's own if the body was made from one."""

from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.body.rigging import Rigging, plain_rigging, plant_feet_of_rigged_body
from poise.errors import PoiseError
from poise.motion.clip import Clip, clip_from
from poise.reference.body_clip import BodyClip
from poise.reference.dynamic import Dynamic
from poise.rotations import slerp
from poise.world.recording import Recording

Source = Recording | Dynamic | BodyClip | Clip  # What can be exported


def performer_clip(source: Source) -> Clip:
    """The motion of the first performer; a simulated one at the rate of the user's file, if the body has one."""
    if isinstance(source, Clip):
        return source
    if isinstance(source, BodyClip):
        return source.skeleton_clip()
    if isinstance(source, Dynamic):
        return _at_file_rate(source.clip.skeleton_clip(), source.clip.body.rigging)
    rigging = rigging_for_export(source)
    motion = source.meta.get("motion")
    name = Path(motion).stem if isinstance(motion, str) and motion else "motion"
    clip = rigging.clip(source.model, source.qpos, 1 / source.step, name)
    if source.meta.get("rigging") is not None:
        clip = plant_feet_of_rigged_body(clip, rigging, source.model, source.qpos, source.meta.get("feet", []))
    return _at_file_rate(clip, rigging)


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


def _at_file_rate(clip: Clip, rigging: Rigging | None) -> Clip:
    return clip if rigging is None or rigging.rate is None else resample_clip_for_export(clip, rigging.rate)


def resample_clip_for_export(clip: Clip, rate: float) -> Clip:
    """The clip at another rate (Hz); its last frame is not after the end of the original."""
    frames = 1 + int(np.floor(clip.seconds * rate + 1e-6))  # the tolerance keeps a frame exactly at the end
    at = np.minimum(np.arange(frames) * clip.rate / rate, clip.frames - 1)
    before = np.floor(at + 1e-6).astype(int)
    after = np.minimum(before + 1, clip.frames - 1)
    share = np.maximum(at - before, 0.0)

    def interpolated(track: Array) -> Array:
        weight = np.expand_dims(share, tuple(range(1, track.ndim)))
        return np.asarray((1 - weight) * track[before] + weight * track[after])

    rotation = slerp(clip.rotation[before], clip.rotation[after], share[:, None])
    translation = None if clip.translation is None else interpolated(clip.translation)
    return clip_from(clip.name, clip.skeleton, rate, interpolated(clip.position), rotation, translation)
