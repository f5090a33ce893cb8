"""`poise motions get` seen from outside."""

import json
import sys
from pathlib import Path

import pytest
from hosts import capture, hosted

from poise.arrays import Frozen
from poise.cli.main import main
from poise.motion.captures import LICENCE, MocapArchive
from poise.performance.cast import cast

WALK, JUMP = ((Path(__file__).parents[2] / f"examples/motions/{name}.bvh").read_bytes() for name in ("walk", "jump"))


@pytest.fixture
def host(tmp_path, monkeypatch):
    """A host of two of our own motions under the names of captured ones, an empty cache and an empty working folder."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    captures = {"01_01": capture(WALK), "01_02": capture(JUMP, "01_02", what="jump")}
    with hosted() as (host, address):
        library = MocapArchive("A database", address, "Use it well.", Frozen(captures))
        monkeypatch.setattr("poise.motion.captures.cmu_mocap_archive", lambda: library)
        host.files.update({"/001/01_01.bvh": WALK, "/001/01_02.bvh": JUMP})
        yield host


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache/poise/motions"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def refuse(capfd, *arguments):
    """The one line of a command that fails."""
    assert main(["motions", "get", *arguments]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("poise: ")
    assert err.count("\n") == 1
    return err


def test_motions_come_with_their_licence_and_once_only(host, cache, capfd):
    assert main(["motions", "get", "01_01", "01_02", "01_01"]) == 0
    out, err = capfd.readouterr()
    assert err == ""  # bars are for terminals
    assert f"wrote {cache}/01_01.bvh (walk, 1 s)\nwrote {cache}/01_02.bvh (jump, 1 s)\n" in out
    assert f"A database; licence: {cache}/{LICENCE}" in out
    assert names(cache) == ["01_01.bvh", "01_02.bvh", LICENCE]
    assert ((cache / "01_01.bvh").read_bytes(), (cache / LICENCE).read_text()) == (WALK, "Use it well.")
    assert main(["motions", "get", "01_01", "--from", "http://127.0.0.1:1"]) == 0
    assert f"had {cache}/01_01.bvh" in capfd.readouterr().out
    assert host.asked == ["/001/01_01.bvh", "/001/01_02.bvh"]


def test_a_damaged_motion_is_fetched_again(host, cache, capfd):
    cache.mkdir(parents=True)
    (cache / "01_01.bvh").write_bytes(WALK[:1000])
    assert main(["motions", "get", "01_01"]) == 0
    assert (cache / "01_01.bvh").read_bytes() == WALK


def test_json_is_one_object(host, cache, capfd):
    assert main(["motions", "get", "01_02"]) == 0
    capfd.readouterr()
    assert main(["motions", "get", "01_01", "01_02", "--json"]) == 0
    out, err = capfd.readouterr()
    assert (out.count("\n"), err) == (1, "")
    files = [str(cache / "01_01.bvh"), str(cache / "01_02.bvh")]
    assert json.loads(out) == {"files": files, "fetched": ["01_01"], "licence": str(cache / LICENCE)}


def test_whoever_watches_a_terminal_sees_a_bar(host, capfd, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["motions", "get", "01_01"]) == 0
    assert "B/s" in capfd.readouterr().err
    assert main(["motions", "get", "01_02", "--json"]) == 0
    assert capfd.readouterr().err == ""


def test_another_host_and_another_folder(host, cache, tmp_path, capfd):
    (tmp_path / "mirror/001").mkdir(parents=True)
    (tmp_path / "mirror/001/01_01.bvh").write_bytes(WALK)
    assert main(["motions", "get", "01_01", "--from", (tmp_path / "mirror").as_uri(), "--cache", "mine"]) == 0
    assert (names(Path("mine")), host.asked, cache.exists()) == (["01_01.bvh", LICENCE], [], False)


def test_one_that_is_not_as_expected_leaves_nothing_behind(host, cache, capfd):
    host.files["/001/01_01.bvh"] = b"<html>sign in first"
    assert "01_01" in refuse(capfd, "01_01")
    assert not cache.exists()
    refuse(capfd, "01_02", "01_01")
    assert names(cache) == ["01_02.bvh", LICENCE]  # what came before was whole


@pytest.mark.parametrize("name", ["01_03", "../01_01", "001/01_01.bvh", "01_01\n", "", "%2e%2e/01_01"])
def test_names_that_are_none_are_refused_before_anything_is_asked_for(host, cache, name, capfd):
    line = refuse(capfd, "01_01", name)
    assert "unknown captured motion" in line
    assert "01_01, 01_02" in line
    assert (host.asked, cache.exists()) == ([], False)


def test_offline_is_said_in_one_line_that_names_the_address(host, cache, capfd):
    line = refuse(capfd, "01_01", "--from", "http://127.0.0.1:1")
    assert "http://127.0.0.1:1/001/01_01.bvh" in line
    assert "offline" in line
    assert not cache.exists()


@pytest.mark.parametrize("arguments", [("motions",), ("motions", "get"), ("motions", "give", "01_01")])
def test_what_is_missing_is_said_in_one_line(arguments, capfd):
    assert main([*arguments]) == 1
    out, err = capfd.readouterr()
    assert (out, err.count("\n")) == ("", 1)


def test_the_help_of_get_has_an_example(capsys):
    with pytest.raises(SystemExit):
        main(["motions", "get", "--help"])
    assert "Example: poise motions get 02_01" in capsys.readouterr().out


def test_fetched_motions_are_taken_by_name_wherever_motion_files_are(host, capfd):
    for command in (["prepare", "01_01"], ["perform", "01_01"], ["perform", "stand", "--body", "01_01"]):
        assert main(command) == 1
        assert "poise motions get 01_01" in capfd.readouterr().err
    assert main(["motions", "get", "01_01"]) == 0
    assert main(["prepare", "01_01", "--span", "0.5:0.8"]) == 0
    assert main(["perform", "stand", "--body", "01_01", "--seconds", "0.02"]) == 0
    assert main(["export", "01_01", "walk.csv"]) == 0
    assert names(Path()) == ["poise-stand", "prepared-01_01", "walk.csv"]
    assert cast("01_01", "human37").reference.name == "01_01"
