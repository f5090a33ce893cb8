"""Left and right swapped."""

from __future__ import annotations

from dataclasses import dataclass, field

from poise.body import Body
from poise.frozen import readonly
from poise.reference.edit.blend import OVER, crossed
from poise.reference.edit.span import Span
from poise.reference.edit.take import Frame, Take
from poise.reference.edit.words import number, written
from poise.reference.parts import contact_parts


@dataclass(frozen=True)
class Mirror:
    """The motion reflected across the x-z plane; with a start, a transition into it."""

    over: float = OVER  # s
    span: Span = field(default_factory=Span)

    def __str__(self) -> str:
        """As on the command line."""
        return written("mirror", "", self.span, over=None if self.over == OVER else number(self.over))

    def on(self, take: Take) -> Take:
        """The mirrored motion."""
        swap = mirrored_parts(take.body)

        def frame(number: int) -> Frame:
            qpos, down = take.frame(number)
            return Frame(readonly(take.body.mirrored(qpos)), None if down is None else readonly(down[swap], bool))

        reflected = take.with_frames(frame)
        return reflected if self.span.start is None else crossed(take, reflected, self.span.start, self.over)


def mirrored_parts(body: Body) -> list[int]:
    """For each contact part the number of its counterpart."""
    parts, pairs = contact_parts(body), body.link_mirror
    keys = [(part.link, sum(other.link == part.link for other in parts[:i])) for i, part in enumerate(parts)]
    return [keys.index((pairs[link], rank)) for link, rank in keys]
