"""What can be chosen, and which controllers fit."""

import pytest

from poise import PoiseError
from poise.body.assemble import body_names
from poise.studio.catalogue import (
    TERRAINS,
    body_choices,
    controller_refusals,
    motion_choices,
    page_catalogue,
    suggested_body,
)
from poise.studio.choices import IN_PLACE, Choice
from poise.studio.show import Show
from poise.studio.wire import Arguments
from poise.world.terrain_kinds import parse_terrain


def test_reasons_are_given():
    why = controller_refusals("walk", None)
    assert {name for name, reason in why.items() if reason is None} == {"limp", "hold", "nqr", "modal", "pendulum"}
    assert "forward-roll" in why["rotation"]
    assert {name for name, reason in controller_refusals("forward-roll", None).items() if reason is None} == {
        "rotation"
    }
    assert "made for human43" in controller_refusals("back-flip", "biped29")["rotation"]
    assert "script" in why["poses"]
    assert "bar" in controller_refusals("hang", None)["nqr"]
    assert "not a walk" in controller_refusals("backflip", None)["pendulum"]
    assert "not a walk" in controller_refusals("run", None)["pendulum"]
    assert "falls in run" in controller_refusals("run", None)["modal"]
    assert controller_refusals("turn-45", None)["modal"] is None
    assert controller_refusals("walk", "biped29")["modal"] is None
    assert "falls in sneak on biped29" in controller_refusals("sneak", "biped29")["modal"]
    assert "humanoid" in controller_refusals("walk", "lamp14")["hold"]
    assert controller_refusals("stand", "lamp14")["hold"] is None
    assert controller_refusals("chin-up", None)["modal"] is None
    assert "human58" in controller_refusals("walk", "human58")["nqr"]
    assert "feet" in controller_refusals("walk", "lamp14")["pendulum"]
    assert "pose" in controller_refusals("fall", None)["nqr"]
    assert controller_refusals("mine.bvh", None)["nqr"] is None


def test_the_body_that_suits_is_taken():
    assert suggested_body("walk", "nqr") == "biped29"
    assert suggested_body("walk", "modal") == "human42"
    assert suggested_body("turn-45", "modal") == "biped29", "it does not ship for human42"
    assert suggested_body("walk", "pendulum") == "human58"
    assert suggested_body("stand", "hold") == "human37"
    assert suggested_body("x.bvh", "pendulum") == "own"
    assert suggested_body("forward-roll", "rotation") == "human43"


@pytest.mark.parametrize(
    "command",
    [
        {"motion": "/etc/passwd"},
        {"motion": "../walk.bvh"},
        {"body": "/etc/passwd.xml"},
        {"terrain": "/etc/passwd.toml"},
        {"friction": 1e9},
        {"friction": "much"},
        {"edits": "warp:2"},
        {"edits": ["blend:/etc/passwd@1"]},
        {"loads": [5]},
    ],
)
def test_only_known_names_and_uploaded_files_are_accepted(command, tmp_path):
    with pytest.raises(PoiseError):
        Choice.of(Arguments(command), {"mine.bvh": tmp_path / "mine.bvh"})


def test_uploaded_files_are_found(tmp_path):
    choice = Choice.of(Arguments({"motion": "mine.bvh"}), {"mine.bvh": tmp_path / "mine.bvh"})
    assert choice.request().motion == str(tmp_path / "mine.bvh")
    assert choice.request().body == "own"


def test_look_ahead_is_steered_only_where_steps_can_be_chosen():
    assert Choice("walk", controller="nqr").steers
    assert not Choice("walk", controller="nqr", steered=False).steers
    assert not Choice("backflip", controller="nqr").steers
    assert not Choice("walk", controller="nqr", edits=("warp:0.9",)).steers
    assert Choice("walk", controller="pendulum", steered=False).steers
    assert not Choice("walk", controller="hold").steers
    assert Choice("forward-roll", controller="rotation").steers
    assert not Choice("dive-down", controller="rotation").steers


def test_behaviours_that_end_standing_walk_away_and_are_steered():
    for motion in ("back-flip", "kip-up", "dive-roll", "roll-and-stand"):
        choice = Choice(motion, controller="rotation")
        assert (choice.request().then, choice.guide.name) == ("walk:pendulum", "pendulum")
        assert choice.steers
    for motion in ("forward-roll", "dive-down", "baby-roll"):
        choice = Choice(motion, controller="rotation")
        assert (choice.request().then, choice.guide.name) == (None, "rotation")


@pytest.mark.parametrize("motion", IN_PLACE)
def test_motions_that_are_caught_keep_their_feet_planted(motion):
    choice = Choice(motion, controller="modal")
    assert choice.request().catch == "pendulum"
    Show(choice)  # raises unless the feet stay planted
    assert Choice("jump", controller="modal").request().catch is None


def test_falls_are_expected_of_feats_rolls_and_what_does_not_balance():
    assert not any(Choice(motion, controller="nqr").falls_expected for motion in ("walk", "turn-45", "x.bvh"))
    assert all(Choice(motion, controller="nqr").falls_expected for motion in ("backflip", "back-flip", "fall"))
    assert Choice("walk", controller="limp").falls_expected


def test_moves_are_there_by_a_word():
    for motion, controller in ((move["motion"], move["controller"]) for move in page_catalogue()["moves"]):
        assert controller_refusals(motion, None)[controller] is None


def test_what_can_be_edited_live():
    assert Choice("walk", controller="pendulum").edits_live
    assert Choice("walk", controller="modal").edits_live
    assert not Choice("walk", controller="nqr").edits_live
    assert not Choice("forward-roll", controller="rotation").edits_live


def test_what_can_be_gone_over_to():
    assert {"sneak", "walk-slow"} <= set(Choice("walk", controller="pendulum").transitions)
    assert not {"run", "jump"} & set(Choice("walk", controller="pendulum").transitions)
    assert "jump" in Choice("walk", controller="hold").transitions
    assert Choice("walk", controller="modal").transitions == ()  # a transition does not obey physics
    assert Choice("walk", controller="nqr").transitions == ()


def test_all_terrains_can_be_stood_on():
    for terrain in TERRAINS:
        for pick in ("usual", "least", "most"):
            numbers = [number[pick] for number in terrain["numbers"]]
            if terrain["name"] == "spiral":
                numbers[3] = min(numbers[3], int(300 / numbers[1]))
            if 0 not in numbers[:1] or terrain["name"] in ("flat", "slope"):
                parse_terrain(":".join([terrain["name"], *map(str, numbers)]))


def test_the_catalogue_is_whole():
    catalogue = page_catalogue()
    assert len(catalogue["motions"]) == len(motion_choices()) > 25
    assert {body["name"] for body in body_choices()} == set(body_names())
    assert {"strut", "somersault"} <= set(catalogue["scripts"])
