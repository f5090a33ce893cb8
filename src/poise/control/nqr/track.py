"""What feet do in a motion and in what follows it: which of their balls bear, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.body.carrying import Carriage, advance
from poise.body.feet import foot_links
from poise.frozen import Array, Ints, readonly
from poise.reference.dynamic import Dynamic

Bools = NDArray[np.bool_]

_HERE = Carriage(0.0, readonly([0.0, 0.0, 0.0]))


@dataclass(frozen=True, eq=False)
class Footwork:
    """What the F feet of a motion of T frames do."""

    bearing: Ints  # (T, F) how many balls of a foot bear
    ground: Array  # (T, F) m, the motion's own below those that bear, on the mean; 0 if none does
    balls: tuple[Array, ...]  # (F) of (T, B, 3) m: where they are along the ground, and how high it is there
    down: tuple[Bools, ...]  # (F) of (T, B) which of them bear


@dataclass(frozen=True, eq=False)
class Piece:
    """Frames of a motion, where they take place."""

    work: Footwork
    first: int
    stop: int
    carriage: Carriage

    def balls(self, foot: int, frame: int) -> Array:
        """(B, 3) m of a foot, in a frame counted from the piece's first one."""
        return self.carriage.vector(self.work.balls[foot][self.first + frame]) + self.carriage.way


@dataclass(frozen=True, eq=False)
class Track:
    """A motion of K steps, and after it all that matters of what follows: N frames, seen from the motion."""

    pieces: tuple[Piece, ...]

    @property
    def bearing(self) -> Ints:
        """(N, F) how many balls of each foot bear."""
        return np.concatenate([piece.work.bearing[piece.first : piece.stop] for piece in self.pieces])

    def balls(self, foot: int, frame: int) -> Array:
        """(B, 3) m of a foot: where they are along the ground, and how high that is by the motion."""
        for piece in self.pieces:
            if frame < piece.stop - piece.first:
                return piece.balls(foot, frame)
            frame -= piece.stop - piece.first
        raise IndexError(frame)

    def entered(self, frame: int, carriage: Carriage) -> Track:
        """What remains from a frame of the motion on, where another has led to."""
        head, *rest = self.pieces
        left = [replace(head, first=frame), *rest]
        return Track(tuple(_carried(piece, carriage) for piece in left))


def track_of(motion: Dynamic, then: Track | None = None) -> Track:
    """A cycle is followed by itself, twice; any other motion by `then`, if by anything."""
    own = Piece(_footwork(motion), 0, len(motion.torque), _HERE)
    if not motion.clip.cyclic:
        return Track((own, *(then.pieces if then else ())))
    further = Carriage(*advance(motion.clip.qpos[0], motion.clip.qpos[-1]))
    again = _carried(own, further)
    return Track((own, again, _carried(again, further)))


def _carried(piece: Piece, carriage: Carriage) -> Piece:
    return replace(piece, carriage=carriage.then(piece.carriage.yaw, piece.carriage.way))


def _footwork(motion: Dynamic) -> Footwork:
    body, contacts = motion.clip.body, motion.contacts
    links, points = [body.link_id(link) for link in contacts.links], motion.points()
    points[..., 2] = contacts.ground
    shape = (motion.clip.frames, len(body.feet))
    bearing, ground, balls, bears = np.zeros(shape, np.int64), np.zeros(shape), [], []
    for foot, own in enumerate(foot_links(body)):
        mine = np.isin(links, own)
        down = contacts.down[:, mine]
        bearing[:, foot] = down.sum(axis=1)
        ground[:, foot] = (down * contacts.ground[:, mine]).sum(axis=1) / np.maximum(bearing[:, foot], 1)
        balls.append(readonly(points[:, mine]))
        bears.append(readonly(down, bool))
    return Footwork(readonly(bearing, int), readonly(ground), tuple(balls), tuple(bears))
