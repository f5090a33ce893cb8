"""Fetching: what comes is checked, kept whole or not at all, and every failure is one line."""

import socket

import pytest
from hosts import PATIENCE, SECRET, capture, hosted

from poise.errors import PoiseError
from poise.motion.captures import LICENCE, cached_mocap_file, fetch_mocap_file


@pytest.fixture(autouse=True)
def direct_and_impatient(monkeypatch):
    """The machine that tests run on may have a proxy."""
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr("poise.motion.captures.TIMEOUT", PATIENCE)


def refused(folder, *words, host):
    """Fetch what cannot be had; the one line that says so, with nothing left behind."""
    with pytest.raises(PoiseError) as caught:
        fetch_mocap_file(capture(), host, folder / "cache", "licence")
    line = str(caught.value)
    assert "\n" not in line
    for word in words:
        assert word in line
    assert list(folder.iterdir()) == []
    return line


@pytest.mark.parametrize("slash", ["", "/"])
def test_what_was_fetched_is_kept_with_its_licence(tmp_path, slash):
    told = []
    with hosted() as (host, address):
        host.files["/mirror/001/01_01.bvh"] = SECRET
        path = fetch_mocap_file(capture(), f"{address}/mirror{slash}", tmp_path / "a/b", "may be used", told.append)
        assert host.asked == ["/mirror/001/01_01.bvh"]
    assert path == tmp_path / "a/b/01_01.bvh"
    assert path.read_bytes() == SECRET
    assert sum(told) == len(SECRET)
    assert {item.name for item in (tmp_path / "a/b").iterdir()} == {"01_01.bvh", LICENCE}
    assert (tmp_path / "a/b" / LICENCE).read_text() == "may be used"
    assert cached_mocap_file(capture(), tmp_path / "a/b") == path


def test_a_folder_will_do(tmp_path):
    (tmp_path / "mirror/001").mkdir(parents=True)
    (tmp_path / "mirror/001/01_01.bvh").write_bytes(SECRET)
    path = fetch_mocap_file(capture(), (tmp_path / "mirror").as_uri(), tmp_path / "cache", "")
    assert path.read_bytes() == SECRET


def test_a_damaged_copy_is_no_copy_and_is_replaced(tmp_path):
    path = tmp_path / "01_01.bvh"
    for damage in (SECRET[:-1], SECRET + b" ", SECRET[:-1] + b"\0", b""):
        path.write_bytes(damage)
        assert cached_mocap_file(capture(), tmp_path) is None
    with hosted() as (host, address):
        host.files["/001/01_01.bvh"] = SECRET
        fetch_mocap_file(capture(), address, tmp_path, "")
    assert cached_mocap_file(capture(), tmp_path) == path


@pytest.mark.parametrize("served", [SECRET[:-1], SECRET[:-1] + b"\0", SECRET + b"\n", b"", b"<html>sign in first"])
def test_other_bytes_are_not_kept(tmp_path, served):
    with hosted() as (host, address):
        host.files["/001/01_01.bvh"] = served
        refused(tmp_path, f"{address}/001/01_01.bvh", "01_01", "SHA-256", "nothing was kept", host=address)


def test_other_bytes_leave_what_was_there(tmp_path):
    (tmp_path / "01_01.bvh").write_bytes(b"old")
    with hosted() as (host, address):
        host.files["/001/01_01.bvh"] = b"new"
        with pytest.raises(PoiseError, match="nothing was kept"):
            fetch_mocap_file(capture(), address, tmp_path, "")
    assert [item.read_bytes() for item in tmp_path.iterdir()] == [b"old"]


@pytest.mark.parametrize("manner", ["drops", "endless"])
def test_a_host_that_sends_less_or_never_stops(tmp_path, manner):
    with hosted(manner) as (host, address):
        host.files["/001/01_01.bvh"] = SECRET
        refused(tmp_path, f"{address}/001/01_01.bvh", host=address)


@pytest.mark.parametrize("manner", ["silent", "stalls"])
def test_a_host_that_falls_silent_is_not_waited_for(tmp_path, manner):
    with hosted(manner) as (host, address):
        host.files["/001/01_01.bvh"] = SECRET
        refused(tmp_path, f"{address}/001/01_01.bvh", "timed out", "offline", host=address)


def test_what_a_host_does_not_have(tmp_path):
    with hosted() as (_, address):
        refused(tmp_path, f"{address}/001/01_01.bvh", "404", "Not Found", host=address)


def test_a_host_that_refuses_connections(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    refused(tmp_path, f"http://127.0.0.1:{port}/001/01_01.bvh", "refused", "offline", host=f"http://127.0.0.1:{port}")


def test_a_machine_without_a_network(tmp_path, monkeypatch):
    def offline(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", offline)
    refused(tmp_path, "https://mocap.example/001/01_01.bvh", "Name or service", "offline", host="https://mocap.example")


def test_a_folder_that_is_not_there(tmp_path):
    line = refused(tmp_path, "No such file", "file:///nowhere/001/01_01.bvh", host="file:///nowhere")
    assert "offline" not in line


@pytest.mark.parametrize(
    "host",
    ["", "nowhere", "/etc", "ftp://x", "data:text/plain,x", "https:", "https://", "javascript://x", "C:\\mocap"],
)
def test_addresses_that_are_none(tmp_path, host):
    refused(tmp_path, f"'{host}'", "https, http, file", host=host)


@pytest.mark.parametrize(
    "host", ["http://[::1", "http://a b", "http://127.0.0.1:port", "http://x\ny", "http://" + "ü" * 99]
)
def test_addresses_that_no_host_can_have(tmp_path, host):
    refused(tmp_path, "cannot reach", host=host)


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_is_asked_for(tmp_path):
    (tmp_path / "file").touch()
    with hosted() as (host, address):
        with pytest.raises(PoiseError, match="in the way"):
            fetch_mocap_file(capture(), address, tmp_path / "file/cache", "")
        assert host.asked == []
