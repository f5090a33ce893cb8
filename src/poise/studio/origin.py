"""Who may talk to the studio: pages that it served itself, under the name of this machine to itself, and nobody else.

A page from elsewhere that is open in the same browser could reach a server on this machine. Browsers tell where a page
came from (Origin), and under what name the server was asked for (Host, which a foreign name server can point to this
machine); both must be ours.
"""

from __future__ import annotations

LOOPBACK = "127.0.0.1"
_NAMES = (LOOPBACK, "localhost", "[::1]")


def own_hosts(port: int) -> tuple[str, ...]:
    """The names under which this machine asks itself; browsers leave out the port that is usual."""
    return tuple(f"{name}:{port}" for name in _NAMES) + (_NAMES if port == 80 else ())


def is_own_host(host: str | None, port: int) -> bool:
    """Whether the server was asked for by a name of this machine to itself."""
    return host is not None and host.lower() in own_hosts(port)


def is_own_origin(origin: str | None, port: int) -> bool:
    """Whether a page that wants to talk was served by us."""
    return origin is not None and origin.lower() in {f"http://{host}" for host in own_hosts(port)}
