"""Motions that obey physics, for a world that steps less often."""

from __future__ import annotations

from dataclasses import replace

from poise.arrays import Array, readonly
from poise.errors import PoiseError
from poise.reference.dynamic import Dynamic
from poise.reference.played import Played
from poise.reference.reference import Reference

_WHOLE = 1e-3  # a ratio of rates this near to a whole number is one, so that steps may be written 0.00833


def in_steps(reference: Reference, rate: float) -> Reference:
    """A reference whose motions have as many states a second as the world has steps; itself if they have already."""
    motions = tuple(reference.motions.values())
    if all(_every(motion, rate) == 1 for motion in motions):
        return reference
    if not isinstance(reference, Played):
        raise PoiseError(f"{reference.name} can be steered at {motions[0].clip.rate:g} steps a second, not at {rate:g}")
    first, *rest = (at_rate(motion, rate) for motion in motions)
    return Played(first.clip, first, reference.begin, *rest)


def _every(motion: Dynamic, rate: float) -> int:
    """How many of a motion's steps make one at a rate, Hz."""
    clip = motion.clip
    every = round(clip.rate / rate)
    if every < 1 or abs(every * rate - clip.rate) > _WHOLE * clip.rate:
        raise PoiseError(f"{clip.name} has {clip.rate:g} states a second: {rate:g} does not go into it")
    return every


def at_rate(motion: Dynamic, rate: float) -> Dynamic:
    """A motion at a rate, Hz, that goes into its own a whole number of times: every second state, or third, and so on.

    Torques and forces of the steps that become one are averaged, so that their impulses stay. A longer step does not
    quite reach the next state with them: controllers must make up for what is missing.
    """
    clip, contacts, every = motion.clip, motion.contacts, _every(motion, rate)
    if every == 1:
        return motion
    if (clip.frames - 1) % every:
        raise PoiseError(f"{clip.name} has {clip.frames - 1} steps: they cannot be taken {every} at a time")
    down = None if clip.down is None else readonly(clip.down[::every], bool)
    return replace(
        motion,
        clip=replace(clip, rate=clip.rate / every, qpos=readonly(clip.qpos[::every]), down=down),
        qvel=readonly(motion.qvel[::every]),
        torque=_averaged(motion.torque, every),
        contacts=replace(
            contacts,
            down=readonly(contacts.down[::every], bool),
            force=_averaged(contacts.force, every),
            ground=readonly(contacts.ground[::every]),
        ),
    )


def _averaged(steps: Array, every: int) -> Array:
    """(K, ...) means of so many steps at a time."""
    return readonly(steps.reshape(-1, every, *steps.shape[1:]).mean(axis=1))
