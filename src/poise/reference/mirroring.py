"""Motions that obey physics, left and right swapped: a turn to the left becomes one to the right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.body import Body
from poise.body.symmetry import counterparts
from poise.frozen import Array, readonly
from poise.reference.dynamic import Contacts, Dynamic
from poise.reference.edit.mirror import mirrored_parts
from poise.reference.ik_kinematics import Kinematics
from poise.spatial import mirror_vector, quat_conjugate, quat_rotate


def mirrored(motion: Dynamic) -> Dynamic:
    """The motion reflected across the x-z plane; each contact stays the same number, on the other side."""
    clip, body = motion.clip, motion.clip.body
    down = None if clip.down is None else readonly(clip.down[:, mirrored_parts(body)], bool)
    return replace(
        motion,
        clip=replace(clip, qpos=readonly(body.mirrored(clip.qpos)), down=down),
        qvel=readonly(body.mirror_signs * motion.qvel[:, body.mirror_dofs]),
        torque=readonly(body.mirror_signs * motion.torque[:, body.mirror_dofs]),
        contacts=_mirrored_contacts(body, motion.contacts),
    )


def _mirrored_contacts(body: Body, contacts: Contacts) -> Contacts:
    names = counterparts(contacts.names)
    links = tuple(body.link_mirror[link] for link in contacts.links)
    return replace(
        contacts,
        names=tuple(names.get(name, name) for name in contacts.names),
        links=links,
        centre=readonly(_mirrored_centres(body, contacts, links)),
        force=readonly(mirror_vector(contacts.force)),
    )


def _mirrored_centres(body: Body, contacts: Contacts, links: tuple[str, ...]) -> Array:
    """(C, 3) m in the other links: where the mirrored pose has the mirrored places, however links have their frames."""
    here = Kinematics(body, list(zip(contacts.links, contacts.centre, strict=True)))
    there = Kinematics(body, [(link, np.zeros(3)) for link in links], links)
    places, _ = here.at(body.standing[None])
    origins, turns = there.at(body.mirrored(body.standing)[None])
    return quat_rotate(quat_conjugate(turns[0]), mirror_vector(places[0]) - origins[0])
