"""`poise motions` and `poise list`."""

import json

from commanding import BODIES, finite, refuse

from poise.cli.main import main
from poise.reference.archive import load_prepared


def test_list_names_everything(capsys):
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert main(["list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    kinds = ("bodies", "motions", "captures", "controllers", "scripts", "terrains", "edits", "formats", "studies")
    assert tuple(found) == kinds
    assert set(found["bodies"]) == set(BODIES)
    for kind, items in found.items():
        assert kind in text
        for name, what in items.items():
            assert name in text
            assert what
    assert main(["list", "motions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"motions": found["motions"]}


def test_motions_are_built_for_other_bodies(here, capfd):
    assert main(["motions", "build", "stand", "--body", "human37", "--out", "made", "--json"]) == 0
    found = finite(capfd.readouterr().out)["stand"]
    assert found["equations"] < 1e-6
    assert load_prepared(here / found["file"]).body.name == "human37"
    refuse(["motions", "build", "strut"], capfd, "strut")
    refuse(["motions", "build", "walk", "--body", "lamp14"], capfd, "lamp14")


def test_motions_are_listed_with_length_speed_and_contacts(capfd):
    assert main(["list", "motions"]) == 0
    lines = {line.split()[0]: line for line in capfd.readouterr().out.splitlines()[1:]}
    assert "1.30 m/s, contacts: feet; for biped29" in lines["walk"]
    assert "hands on a bar" in lines["hang"]
    assert "in the air" in lines["run"]
