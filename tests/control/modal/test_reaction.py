"""Pushes are noticed late."""

import numpy as np

from poise.control.modal.modal import ModalError, Reaction


def errors(size):
    return ModalError(np.full(12, size), np.full(36, size), np.full(36, size))


def test_after_a_push_the_errors_before_it_are_believed_in_until_it_is_noticed():
    reaction = Reaction(0.2, 1.0)
    assert reaction.perceived(0.9, errors(0.1)).rigid[0] == 0.1
    reaction.startle(1.0)
    assert reaction.perceived(1.0, errors(0.2)).joints[0] == 0.2  # the push has not moved it yet
    assert reaction.perceived(1.1, errors(5.0)).speeds[0] == 0.2
    assert reaction.perceived(1.2, errors(6.0)).rigid[0] == 6.0
    reaction.startle(2.0)
    assert reaction.perceived(2.0, errors(0.3)).rigid[0] == 0.3


def test_in_the_papers_form_it_believes_itself_in_the_reference_and_without_latency_in_what_is():
    reaction = Reaction(0.2, 0.0)
    reaction.startle(1.0)
    assert not any(error.any() for error in reaction.perceived(1.1, errors(5.0)))
    quick = Reaction(0.0, 1.0)
    quick.startle(1.0)
    assert quick.perceived(1.0, errors(5.0)).rigid[0] == 5.0


def test_each_of_two_pushes_is_noticed_a_while_after_it_began():
    reaction = Reaction(0.2, 1.0)
    for time, size, believed in (
        (1.0, 0.1, 0.1),
        (1.1, 2.0, 0.1),
        (1.15, 3.0, 0.1),
        (1.2, 4.0, 4.0),
        (1.3, 6.0, 4.0),
        (1.35, 7.0, 7.0),
    ):
        if time in (1.0, 1.15):
            reaction.startle(time)
        assert reaction.perceived(time, errors(size)).rigid[0] == believed
