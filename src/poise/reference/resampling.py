"""Resample motions that obey physics for a world with longer steps."""

from __future__ import annotations

from dataclasses import replace

from poise.arrays import Array, readonly
from poise.errors import PoiseError
from poise.reference.dynamic import Dynamic
from poise.reference.played import Played
from poise.reference.reference import Reference

_WHOLE = 1e-3  # relative tolerance for a whole ratio of rates, so that a step may be written as 0.00833


def in_steps(reference: Reference, rate: float) -> Reference:
    """A reference whose motions have one state per step at `rate` (Hz); the given one if they already do."""
    motions = tuple(reference.motions.values())
    if all(_every(motion, rate) == 1 for motion in motions):
        return reference
    if not isinstance(reference, Played):
        rates = f"{motions[0].clip.rate:g} steps a second, not {rate:g}"
        raise PoiseError(f"motion '{reference.name}' can be steered only at {rates}")
    first, *rest = (at_rate(motion, rate) for motion in motions)
    return Played(first.clip, first, reference.begin, *rest)


def _every(motion: Dynamic, rate: float) -> int:
    """The number of a motion's steps that make one step at `rate` (Hz)."""
    clip = motion.clip
    every = round(clip.rate / rate)
    if every < 1 or abs(every * rate - clip.rate) > _WHOLE * clip.rate:
        raise PoiseError(f"motion '{clip.name}' has {clip.rate:g} states a second, which {rate:g} does not divide")
    return every


def at_rate(motion: Dynamic, rate: float) -> Dynamic:
    """The motion at a rate (Hz) that divides its own: every second state, or third, and so on.

    Torques and forces of merged steps are averaged, which keeps their impulses. With them the longer step does not
    quite reach the next state; controllers must correct the difference.
    """
    clip, contacts, every = motion.clip, motion.contacts, _every(motion, rate)
    if every == 1:
        return motion
    if (clip.frames - 1) % every:
        raise PoiseError(f"motion '{clip.name}' has {clip.frames - 1} steps, which cannot be merged {every} at a time")
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
    """(K, ...) means of `every` consecutive steps."""
    return readonly(steps.reshape(-1, every, *steps.shape[1:]).mean(axis=1))
