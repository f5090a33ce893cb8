from dataclasses import replace

import numpy as np
import pytest

from poise.arrays import readonly
from poise.errors import PoiseError
from poise.library.motions import shipped_dynamic
from poise.reference.archive import is_prepared, load_prepared, load_reference, save_prepared
from poise.reference.played import Played


@pytest.fixture(scope="module")
def turn():
    return shipped_dynamic("turn-90", "biped29")


def test_a_reference_comes_back_bit_by_bit(turn, tmp_path):
    path = save_prepared(turn.clip, tmp_path / "turn.npz", turn)
    assert is_prepared(path)
    clip, again = load_reference(path)
    assert again is not None
    for name in ("qvel", "torque"):
        assert np.array_equal(getattr(again, name), getattr(turn, name))
    for name in ("centre", "radius", "held", "down", "force", "ground"):
        assert np.array_equal(getattr(again.contacts, name), getattr(turn.contacts, name))
    assert (again.contacts.names, again.contacts.links) == (turn.contacts.names, turn.contacts.links)
    assert np.array_equal(load_prepared(path).qpos, clip.qpos)
    assert not again.qvel.flags.writeable


def test_a_motion_without_forces_has_none(turn, tmp_path):
    assert load_reference(save_prepared(turn.clip, tmp_path / "plain.npz"))[1] is None


def test_tables_that_do_not_fit_are_named(turn, tmp_path):
    spoiled = [
        (replace(turn, torque=readonly(turn.torque[:-1])), "torque has shape"),
        (replace(turn, qvel=readonly(np.full_like(turn.qvel, np.nan))), "qvel contains numbers that are not finite"),
        (
            replace(turn, contacts=replace(turn.contacts, links=("tail", *turn.contacts.links[1:]))),
            "its body has no link 'tail'",
        ),
        (replace(turn, contacts=replace(turn.contacts, links=turn.contacts.links[1:])), "contact links"),
        (replace(turn, friction=np.inf), "its friction is inf"),
    ]
    for k, (motion, message) in enumerate(spoiled):
        path = save_prepared(turn.clip, tmp_path / f"{k}.npz", motion)
        with pytest.raises(PoiseError, match=message):
            load_reference(path)


def test_states_are_played_as_they_are_and_forces_turn_with_the_cycle(turn):
    played = Played(turn.clip, turn)
    for frame in (0, 1, 100):
        target = played.at(frame / turn.clip.rate)
        assert np.allclose(target.qvel, turn.qvel[frame], atol=1e-9)
        assert np.allclose(target.qpos, turn.clip.qpos[frame], atol=1e-12)
    time = 40.25 / turn.clip.rate
    now, later = played.at(time), played.at(time + turn.clip.seconds)
    assert np.array_equal(now.torque, later.torque)
    assert np.allclose(now.force[:, 2], later.force[:, 2])
    turned = np.stack([-now.force[:, 1], now.force[:, 0]], axis=1)  # by 90 degrees to the left
    assert np.allclose(later.force[:, :2], turned, atol=1e-6)
    assert np.abs(now.force[:, :2]).max() > 1.0


def test_after_its_end_a_motion_rests():
    jump = shipped_dynamic("jump", "biped29")
    target = Played(jump.clip, jump).at(99.0)
    assert target.torque is None
    assert not target.qvel.any()


def test_a_file_with_forces_has_at_least_two_frames(tmp_path):
    stand = shipped_dynamic("stand", "biped29")
    contacts = stand.contacts
    kept = {name: getattr(contacts, name)[:1] for name in ("down", "ground")}
    one = replace(stand, clip=replace(stand.clip, qpos=stand.clip.qpos[:1], down=stand.clip.down[:1], cyclic=False),
                  qvel=stand.qvel[:1], torque=stand.torque[:0],
                  contacts=replace(contacts, force=contacts.force[:0], **kept))  # fmt: skip
    path = save_prepared(one.clip, tmp_path / "one.npz", one)
    with pytest.raises(PoiseError, match="only one frame"):
        load_reference(path)
