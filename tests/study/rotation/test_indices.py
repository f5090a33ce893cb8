"""The study of rotation indices."""

from poise.study.rotation.indices import STUDY


def test_a_backflip_turns_once_and_its_excursion_keeps_to_the_axis():
    row = STUDY.run_case(STUDY.cases(STUDY.quick)[0])
    assert row["motion"] == "backflip"
    assert 0.8 < row["turns"] < 1.2
    assert row["excursion_wobble_deg"] <= row["root_wobble_deg"] + 1e-6
