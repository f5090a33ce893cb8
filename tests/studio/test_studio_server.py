"""The server: which connections it accepts, and that it survives failures."""

import errno
import http.client
import os
import signal
import time

import pytest
from visitors import Visitor, does_not_perform, open_studio, wire_address
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from poise.studio.server import Studio
from poise.studio.wire import file_bytes, is_frame, json_message

SURROGATE = '{"do": "pose.goals", "goals": [{"what": "\\ud800"}]}'


@pytest.fixture(scope="module")
def studio():
    with open_studio() as opened:
        yield opened


def get(studio, path, *hosts, **more):
    asked = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=300)
    asked.putrequest("GET", path, skip_host=True)
    for host in hosts or (f"127.0.0.1:{studio.port}",):
        asked.putheader("Host", host)
    for name, value in more.items():
        asked.putheader(name, value)
    asked.endheaders()
    answer = asked.getresponse()
    return answer, answer.read()


def home(studio):
    """Path of the page, with the token."""
    return studio.address.partition(str(studio.port))[2]


@pytest.mark.parametrize("query", ["", "?", "?token=", "?token=wrong", "?token=%ff%00", "?token=%C3%A4", "?x=1&token"])
def test_whoever_lacks_the_token_is_told_and_refused(studio, query):
    for path in ("/", "/index.html"):
        answer, content = get(studio, path + query)
        assert answer.status == 403
        assert b"carries a token" in content
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{studio.port}/wire{query}", origin=f"http://127.0.0.1:{studio.port}")
    assert refused.value.response.status_code == 403


def test_each_start_has_a_token_of_its_own_that_is_not_logged(studio, caplog):
    token = home(studio).partition("=")[2]
    assert len(token) >= 32
    assert Studio({}).address.partition("=")[2] != token
    caplog.set_level("DEBUG")
    with Visitor(studio) as visitor:
        visitor.until("ready")
    assert not any(token in record.getMessage() for record in caplog.records if record.name != "websockets.client")


def test_the_page_is_served_and_keeps_to_itself(studio):
    answer, content = get(studio, home(studio))
    assert answer.status == 200
    assert b"Poise" in content
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    for name in ("studio.js", "studio.css", "three.bundle.min.js", "icon.svg"):
        assert get(studio, f"/{name}")[0].status == 200
        assert f'"{name}"' in content.decode()


@pytest.mark.parametrize("path", ["/nothing", "/../server.py", "/..%2fserver.py", "/three.LICENSE", "//etc/passwd"])
def test_nothing_else_is_served(studio, path):
    assert get(studio, path)[0].status == 404


def test_only_loopback_is_served(studio):
    assert studio._server is not None
    assert {socket.getsockname()[0] for socket in studio._server.sockets} == {"127.0.0.1"}


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_a_page_from_elsewhere_cannot_connect(studio, origin):
    with pytest.raises(InvalidStatus) as refused, connect(wire_address(studio), origin=origin):
        pass
    assert refused.value.response.status_code == 403


def test_two_origins_are_one_too_many(studio):
    ours = f"http://127.0.0.1:{studio.port}"
    with pytest.raises(InvalidStatus) as refused:
        connect(wire_address(studio), origin=ours, additional_headers={"Origin": ours})
    assert refused.value.response.status_code == 403


def test_a_name_that_was_made_to_mean_this_machine_is_refused(studio):
    ours = f"localhost:{studio.port}"
    assert get(studio, home(studio), "evil.example")[0].status == 421
    assert get(studio, home(studio), ours)[0].status == 200
    assert get(studio, home(studio), ours, ours)[0].status == 421, "which of the two is meant?"


def test_a_visitor_sees_it_move_and_pushes_it(studio):
    with Visitor(studio) as visitor:
        visitor.until("ready")
        visitor.send("stage", motion="walk", controller="pendulum")
        stage = visitor.until("stage")
        assert stage["body"] == "human58"
        assert stage["steers"]
        times = [time for time, _ in visitor.frames(until=0.3)]
        assert times == sorted(times)
        visitor.send("push", newtons=120, degrees=90, duration=0.1)
        events = visitor.until("events")["events"]
        assert events[-1]["force"] == pytest.approx(120)
        assert events[-1]["time"] >= times[-1]


def test_a_performer_that_dies_is_replaced_and_others_go_on(studio):
    with Visitor(studio) as first, Visitor(studio) as second:
        first.until("ready")
        second.until("ready")
        pid = studio._pool._given[0].pid
        os.kill(pid, 9)
        told = first.passes_over("crashed")["text"]
        assert "unexpectedly" in told
        assert "SIGKILL" in told
        first.until("ready")
        first.send("fits", motion="walk", body="")
        assert first.until("fits")["why"]["nqr"] is None
        second.send("fits", motion="walk", body="lamp14")
        assert "feet" in second.until("fits")["why"]["pendulum"]


def test_a_performer_that_does_not_listen_holds_nobody_up(studio):
    with Visitor(studio) as visitor:
        visitor.until("ready")
        os.kill(studio._pool._given[-1].pid, signal.SIGSTOP)
        for _ in range(600):
            visitor.send("steer", heading=0, filler="x" * 2000)
        assert "busy" in visitor.passes_over("error")["text"]
        visitor.send("upload", name="a.bvh", size=1000)
        assert "busy" in visitor.passes_over("error")["text"]
        assert get(studio, home(studio))[0].status == 200
        visitor.send("abort")
        visitor.passes_over("crashed")
        visitor.until("ready")


def test_a_performer_that_cannot_start_is_not_tried_for_ever(monkeypatch):
    monkeypatch.setattr("poise.studio.processes.perform_for", does_not_perform)
    with open_studio() as broken, Visitor(broken) as visitor:
        assert "cannot start" in visitor.passes_over("dead")["text"]
        with pytest.raises(TimeoutError):
            visitor.next(1.0)


def test_only_poses_are_left_out_for_a_slow_page():
    assert is_frame(b"\x01\0\0\0")
    assert not is_frame(file_bytes("a.bvh", b"HIERARCHY"))
    assert not is_frame(json_message("ready"))


def test_what_is_too_long_can_be_stopped(studio):
    with Visitor(studio) as visitor:
        visitor.until("ready")
        visitor.send("abort")
        visitor.passes_over("crashed")
        visitor.until("ready")


def test_nonsense_is_answered_and_nothing_breaks(studio):
    with Visitor(studio) as visitor:
        visitor.until("ready")
        for text in ("", "[]", "{", '{"do": 5}', '{"do": "dance"}', '{"do": "__class__"}', "[" * 5000, SURROGATE):
            visitor.socket.send(text)
            visitor.passes_over("error")
        visitor.send("stage", motion="stand", controller="hold", friction=10**400)
        assert "friction must be a number" in visitor.passes_over("error")["text"]
        visitor.socket.send('{"do": "playback_rate", "value": 1e999}')
        assert "value must be a number" in visitor.passes_over("error")["text"]
        visitor.send("fits", motion="walk", body="")
        visitor.until("fits")


def test_a_full_disk_is_told_and_the_performance_goes_on(studio):
    resource = pytest.importorskip("resource")
    with Visitor(studio) as visitor:
        visitor.until("ready")
        visitor.send("stage", motion="stand", controller="hold")
        visitor.frames(until=0.1)
        process = studio._pool._given[-1]
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))  # no file can grow
        for form in ("bvh", "npz", "html"):
            visitor.send("download", format=form)
            told = visitor.passes_over("error")["text"]
            assert f"cannot write stand.{form}" in told
            assert "/tmp" not in told
        content = b"HIERARCHY"
        visitor.send("upload", name="a.bvh", size=len(content))
        visitor.passes_over("send")
        visitor.socket.send(content)
        assert "cannot write a.bvh" in visitor.passes_over("error")["text"]
        visitor.send("pose.new", body="human37")
        assert "cannot write script.toml" in visitor.passes_over("error")["text"]
        visitor.send("play", on=True)
        visitor.frames(until=0.3)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        visitor.send("download", format="csv")
        while not isinstance(message := visitor.next(), bytes) or message[0] != 2:
            assert isinstance(message, bytes) or message["say"] != "error"
        assert studio._pool._given[-1] is process


def test_a_page_for_which_there_is_no_room_is_told(studio, monkeypatch):
    with Visitor(studio) as visitor:
        visitor.until("ready")  # and its spare one has begun
        monkeypatch.setattr("tempfile.mkdtemp", full_disk)
        monkeypatch.setattr(studio._pool, "_next", None)
        visitor.send("abort")
        assert "No space left" in visitor.passes_over("dead")["text"]
        with Visitor(studio) as late:
            assert "No space left" in late.passes_over("full")["text"]
        visitor.send("fits", motion="walk", body="")
        visitor.until("fits")


def full_disk(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_files_that_come_together_keep_their_names(studio):
    with Visitor(studio) as visitor:
        visitor.until("ready")
        for name in ("a.bvh", "b.bvh"):
            visitor.send("upload", name=name, size=9)
        for name in ("a.bvh", "b.bvh"):
            assert visitor.until("send")["name"] == name
        visitor.socket.send(b"HIERARCHY a")
        visitor.socket.send(b"\0")
        assert visitor.until("brought")["file"] == "a.bvh"
        assert visitor.passes_over("error")["text"] == "b.bvh is not text"


def test_a_page_that_is_slow_to_answer_is_not_dropped(studio):
    with Visitor(studio) as visitor:
        visitor.until("ready")
        [connection] = studio._server.connections
        assert connection.ping_interval is None


def test_who_leaves_is_no_longer_worked_for(studio):
    with Visitor(studio) as visitor:
        visitor.until("ready")
        pid = studio._pool._given[-1].pid
        folder = studio._pool._given[-1]._folder.name
        assert os.path.isdir(folder)
    end = time.monotonic() + 120
    while time.monotonic() < end and (_runs(pid) or os.path.isdir(folder) or studio._pool.busy):
        time.sleep(0.05)
    assert not _runs(pid)
    assert not os.path.isdir(folder)
    assert studio._pool.busy == 0


def _runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("large.bvh", b"0" * 50_000_000, "larger than"),
        ("million.bvh", b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n" + b"JOINT b\n{\nOFFSET 0 0 0\n" * 750_000, "joints"),
        ("frames.bvh", b"HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 99999999999\n", "too many"),
        ("short.bvh", b"HIERARCHY\nROOT a\n{\nOFFSET 0 0\n}\n", "line 4"),
        (
            "numbers.bvh",
            b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 9\n" + b"1e999 " * 3_000_000,
            "number",
        ),
        (
            "digits.bvh",
            b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 9\n" + b"9" * 19_000_000,
            "line 8: the line is too long",
        ),
        (
            "line.bvh",
            b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 2\nFrame Time: 0.01\n" + b"1 " * 9_000_000,
            "line 9: the line is too long",
        ),
        ("script.toml", b"a = [" + b"1, " * 200_000 + b"]", "larger"),
        ("sheet.xlsx", b"PK", "only motions"),
        ("empty.bvh", b"", "empty"),
    ],
)
def test_bad_files_are_refused(studio, name, content, told):
    with Visitor(studio) as visitor:
        visitor.until("ready")
        message = answer(visitor, name, content)
        assert message["say"] == "error"
        assert told in message["text"]
        assert "/tmp" not in message["text"]


def answer(visitor, name, content):
    """What the studio says in the end to a file that is brought and staged."""
    visitor.send("upload", name=name, size=len(content))
    message = visitor.next()
    if message["say"] == "send":
        visitor.socket.send(content)
        message = visitor.next()
    while message["say"] == "brought":  # the fault is found when the motion is staged
        visitor.send("stage", motion=message["name"], controller="hold")
        while (message := visitor.next())["say"] == "busy":
            pass
    return message


def test_a_file_that_nobody_announced_is_refused(studio):
    with Visitor(studio) as visitor:
        visitor.until("ready")
        visitor.socket.send(b"HIERARCHY")
        assert "announced" in visitor.next()["text"]
