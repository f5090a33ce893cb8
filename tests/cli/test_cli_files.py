"""`poise audit` and `poise export` of good recordings, of tampered ones, and of other files."""

import io
import json
import pickle
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
from commanding import finite, refuse

from poise.cli.main import main
from poise.world.recording import ARRAYS


def test_audit_of_a_good_recording(performed, capfd):
    assert main(["audit", str(performed / "recording.npz")]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert "FAIL" not in out
    assert out.startswith("physical\n")
    assert main(["audit", str(performed / "recording.npz"), "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert json.loads(out)["passed"] is True


def test_the_folder_of_a_performance_stands_for_its_recording(performed, here, capfd):
    shutil.copytree(performed, "walk")  # named like a shipped motion: the folder takes precedence
    printed = []
    for file in ("walk", "walk/recording.npz"):
        assert main(["audit", file, "--json"]) == 0
        printed.append(json.loads(capfd.readouterr().out))
    assert printed[0] == printed[1]
    assert main(["export", "walk", "walk.csv"]) == 0
    assert main(["export", "walk/recording.npz", "same.csv"]) == 0
    assert Path("walk.csv").read_bytes() == Path("same.csv").read_bytes()


def test_audit_of_a_tampered_recording_fails(performed, here, capfd):
    rewrite(performed, here / "t.npz", qvel=lambda qvel: 1.1 * qvel + 0.01)
    assert main(["audit", "t.npz"]) == 1
    out, err = capfd.readouterr()
    assert err == ""
    assert "FAIL" in out
    assert out.startswith("not physical\n  because of change beyond contacts")
    assert main(["audit", "t.npz", "--json"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert (told["passed"], told["physical"], told["verdict"]) == (False, False, "not physical")


@pytest.mark.parametrize("ending", ["bvh", "glb", "usda", "csv", "npz", "html", "png"])
def test_export_writes_each_format(ending, performed, here, capfd):
    assert main(["export", str(performed / "recording.npz"), f"x.{ending}", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert json.loads(out) == {"files": [f"x.{ending}"]}
    assert [path.name for path in here.iterdir()] == [f"x.{ending}"]
    assert (here / f"x.{ending}").stat().st_size > 500


@pytest.mark.parametrize("target", ["x.mp5", "x", "x.", "folder.bvh", "file/x.bvh", "gone/x.csv", "n" * 300 + ".bvh"])
def test_export_refuses_what_it_cannot_write(target, performed, here, capfd):
    (here / "folder.bvh").mkdir()
    (here / "file").write_text("")
    line = refuse(["export", performed / "recording.npz", target], capfd)
    if target.startswith("x"):
        for word in ("format", "bvh", "csv", "html", "png"):
            assert word in line


def rewrite(performed, path, **changes):
    """A copy of the recording with some arrays changed, or left out (None)."""
    with np.load(performed / "recording.npz", allow_pickle=False) as file:
        data = {name: file[name] for name in file.files}
    for name, change in changes.items():
        value = data.pop(name)
        if change is not None:
            data[name] = change(value)
    np.savez(path, **data)


def with_meta(**changes):
    """A change of meta: None removes an entry."""

    def change(text):
        meta = {**json.loads(str(text)), **changes}
        return np.array(json.dumps({key: value for key, value in meta.items() if value is not None}))

    return change


def flipped(raw, place):
    out = bytearray(raw)
    out[place] ^= 0xFF
    return bytes(out)


def zipped(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name in entries:
            file.writestr(name, "x")
    return out.getvalue()


def saved(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


NOT_RECORDINGS = {
    "empty": lambda raw: b"",
    "cut early": lambda raw: raw[:100],
    "cut in half": lambda raw: raw[: len(raw) // 2],
    "cut at the end": lambda raw: raw[:-1],
    "damaged": lambda raw: flipped(raw, 200),
    "damaged later": lambda raw: flipped(raw, 2000),
    "text": lambda raw: b"hello\n",
    "pickle": lambda raw: pickle.dumps({"time": [1.0]}),
    "plain npy": lambda raw: saved(np.zeros(3)),
    "other zip": lambda raw: zipped(["readme.txt"]),
    "zip of nonsense": lambda raw: zipped([f"{name}.npy" for name in (*ARRAYS, "model_xml", "meta")]),
}


WRONG_CONTENTS = {
    **{f"no {name}": {name: None} for name in ("time", "qpos", "contact_kind", "model_xml", "meta")},
    "pickled array": {"qpos": lambda a: np.array([{}], dtype=object)},
    "meta is no JSON": {"meta": lambda a: np.array("{")},
    "meta is a list": {"meta": lambda a: np.array("[1]")},
    "meta without step": {"meta": with_meta(step=None)},
    "step is a word": {"meta": with_meta(step="x")},
    "step is zero": {"meta": with_meta(step=0)},
    "model is no XML": {"model_xml": lambda a: np.array("<mujoco>")},
    "another model": {"model_xml": lambda a: np.array("<mujoco/>")},
    "poses too narrow": {"qpos": lambda a: a[:, :-1]},
    "too few poses": {"qpos": lambda a: a[:-2]},
    "too few velocities": {"qvel": lambda a: a[:-2]},
    "words for poses": {"qpos": lambda a: np.full(a.shape, "a")},
    "contacts after the end": {"contact_step": lambda a: a + 1000},
    "contacts of no body": {"contact_body": lambda a: a + 1000},
    "too few contact forces": {"contact_force": lambda a: a[:-1]},
    "poses not finite": {"qpos": lambda a: a * np.nan},
}


@pytest.mark.parametrize("command", ["audit", "export"])
@pytest.mark.parametrize("kind", NOT_RECORDINGS)
def test_files_that_are_no_recordings_are_refused(kind, command, performed, here, capfd):
    (here / "odd.npz").write_bytes(NOT_RECORDINGS[kind]((performed / "recording.npz").read_bytes()))
    refuse([command, "odd.npz", *(["x.bvh"] if command == "export" else [])], capfd, "odd.npz")


@pytest.mark.parametrize("target", [None, "x.bvh", "x.csv", "x.html"])
@pytest.mark.parametrize("kind", WRONG_CONTENTS)
def test_recordings_with_wrong_contents_are_refused(kind, target, performed, here, capfd):
    rewrite(performed, here / "odd.npz", **WRONG_CONTENTS[kind])
    line = refuse(["export", "odd.npz", target] if target else ["audit", "odd.npz"], capfd)
    if kind.startswith("no "):
        assert kind.removeprefix("no ") in line


@pytest.mark.parametrize("path", ["gone.npz", ".", ""])
def test_missing_recordings_are_refused(path, here, capfd):
    refuse(["audit", path], capfd, "cannot read")
    refuse(["export", path, "x.bvh"], capfd, "cannot read")


def test_a_motion_without_forces_cannot_be_audited(prepared, here, capfd):
    refuse(["audit", str(prepared / "reference.npz")], capfd, "reference.npz", "--dynamic")


def test_shipped_motions_are_exported_and_audited_by_name(here, capfd):
    (here / "walk").mkdir()  # a folder of that name is no motion
    assert main(["audit", "walk", "--json"]) == 0
    assert finite(capfd.readouterr().out)["passed"]
    assert main(["export", "walk", "walk.csv"]) == 0
    assert capfd.readouterr().out == "wrote walk.csv\n"
    assert "left_knee_y_torque" in (here / "walk.csv").read_text().splitlines()[0]
    refuse(["audit", "fall"], capfd, "fall")
