"""Recordings to forge, and how to change them."""

import dataclasses
import json
import re
from functools import cache

import numpy as np

from poise.animate.animate import animate
from poise.animate.read_script import read_script
from poise.library.motions import shipped_dynamic
from poise.measure.audit import audit
from poise.performance.request import Request
from poise.physics.dynamic_motion import recording_of_motion


@cache
def honest(name):
    """A recording by name, made once."""
    makers = {
        "walk": lambda: recording_of_motion(shipped_dynamic("walk", "biped29")),
        "pushed": lambda: Request("stand", "biped29", pushes=("60@0.1,dir=30",), seconds=0.5).perform().recording,
        "fall": lambda: (
            Request("fall", "human37", "limp", terrain="stairs:0.15:0.3:6", seconds=1.2).perform().recording
        ),
        "hang": lambda: recording_of_motion(shipped_dynamic("hang", "biped29")),
        "swing": lambda: recording_of_motion(shipped_dynamic("swing", "biped29")),
        "held": lambda: animate(read_script("waiter"), 0.6).recording,
        "loaded": loaded,
    }
    return makers[name]()


def loaded():
    """A stand in which a weight is hung on a hand."""
    run = Request("stand", "biped29", seconds=0.5).stage(live=True).run
    run.hang("right_hand", 4.0)
    return run.perform(0.4).recording


def verdict(recording):
    """The verdict on a recording."""
    return audit(recording).verdict


def failed(recording):
    """Names of the checks that fail."""
    return {check.name for check in audit(recording).checks if not check.passed}


def changed(recording, meta=None, **arrays):
    """A copy with some arrays replaced: by functions of copies, or by values; `meta` holds changed keys of meta."""
    new = {}
    for name, value in arrays.items():
        old = getattr(recording, name)
        new[name] = value(old.copy() if isinstance(old, np.ndarray) else old) if callable(value) else value
    return dataclasses.replace(recording, **new, meta={**json.loads(json.dumps(recording.meta)), **(meta or {})})


def without_contacts(recording, keep=None):
    """A copy that keeps only the contacts in a mask, by default none."""
    keep = np.zeros(len(recording.contact_step), bool) if keep is None else keep
    names = [f.name for f in dataclasses.fields(recording) if f.name.startswith("contact_")]
    return changed(recording, **{name: getattr(recording, name)[keep] for name in names})


def edited_model(recording, pattern, text):
    """A copy whose model's XML has each match of a pattern replaced; the pattern must occur."""
    xml, count = re.subn(pattern, text, recording.model_xml)
    assert count
    return changed(recording, model_xml=xml)


def events(recording, **changes):
    """The events with values of some keys replaced."""
    return [{**event, **{k: v for k, v in changes.items() if k in event}} for event in recording.meta["events"]]
