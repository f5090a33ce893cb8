"""What the ground does to a part of the body."""

from __future__ import annotations

import numpy as np

from poise.world.recording import Recording


def ground_impulse(recording: Recording, link: str) -> float:
    """N s: all that the ground gave to a link, what carries its weight at rest included."""
    own = (recording.contact_body == recording.model.body(link).id) & (recording.contact_other == 0)
    return recording.step * float(np.linalg.norm(recording.contact_force[own], axis=1).sum())
