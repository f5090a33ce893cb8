"""Delayed reactions to pushes."""

import numpy as np

from poise.control.modal.modal import ModalError, ModalPushReaction


def errors(size):
    return ModalError(np.full(12, size), np.full(36, size), np.full(36, size))


def test_errors_before_a_push_are_used_until_the_reaction():
    reaction = ModalPushReaction(0.2, 1.0)
    assert reaction.perceived(0.9, errors(0.1)).rigid[0] == 0.1
    reaction.note_push(1.0)
    assert reaction.perceived(1.0, errors(0.2)).joints[0] == 0.2  # the push has not moved it yet
    assert reaction.perceived(1.1, errors(5.0)).speeds[0] == 0.2
    assert reaction.perceived(1.2, errors(6.0)).rigid[0] == 6.0
    reaction.note_push(2.0)
    assert reaction.perceived(2.0, errors(0.3)).rigid[0] == 0.3


def test_a_share_of_0_gives_no_errors_and_no_latency_the_present_ones():
    reaction = ModalPushReaction(0.2, 0.0)
    reaction.note_push(1.0)
    assert not any(error.any() for error in reaction.perceived(1.1, errors(5.0)))
    quick = ModalPushReaction(0.0, 1.0)
    quick.note_push(1.0)
    assert quick.perceived(1.0, errors(5.0)).rigid[0] == 5.0


def test_two_pushes_have_a_reaction_each():
    reaction = ModalPushReaction(0.2, 1.0)
    for time, size, perceived in (
        (1.0, 0.1, 0.1),
        (1.1, 2.0, 0.1),
        (1.15, 3.0, 0.1),
        (1.2, 4.0, 4.0),
        (1.3, 6.0, 4.0),
        (1.35, 7.0, 7.0),
    ):
        if time in (1.0, 1.15):
            reaction.note_push(time)
        assert reaction.perceived(time, errors(size)).rigid[0] == perceived
