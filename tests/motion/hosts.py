"""A host of files on this machine, with manners good and bad."""

import contextlib
import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from poise.motion.captures import MocapFile

SECRET = b"HIERARCHY\n" + bytes(range(256)) * 1000
PATIENCE = 0.3  # s


def capture(content=SECRET, name="01_01", **changes):
    """A capture of ours with the checksum of some content."""
    told = {
        "what": "walk",
        "seconds": 1.0,
        "path": f"001/{name}.bvh",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return MocapFile(name, **{**told, **changes})


class Host:
    """Serves `files` by path and remembers what it was asked for."""

    def __init__(self, manner="good"):
        self.files, self.asked, self.manner = {}, [], manner
        self.closing = threading.Event()

    def answer(self, handler):
        self.asked.append(handler.path)
        content = self.files.get(handler.path)
        if content is None:
            handler.send_error(404)
            return
        if self.manner == "silent":
            self.closing.wait()
            return
        handler.send_response(200)
        more = {"endless": 1 << 40, "stalls": 1}.get(self.manner, 0)
        handler.send_header("Content-Length", str(len(content) + more))
        handler.end_headers()
        if self.manner == "drops":
            content = content[: len(content) // 2]
        handler.wfile.write(content)
        if self.manner == "stalls":
            self.closing.wait()
        while self.manner == "endless":
            handler.wfile.write(content)


@contextlib.contextmanager
def hosted(manner="good"):
    """A host and the address of its files."""
    host = Host(manner)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            with contextlib.suppress(ConnectionError):  # whoever asked may have left
                host.answer(self)

        def log_message(self, *_):
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield host, f"http://127.0.0.1:{server.server_port}"
    finally:
        host.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
