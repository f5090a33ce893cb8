"""Parse edits from text: NAME[:VALUE][@START[-END]][,key=value...]."""

import re
from collections.abc import Callable

from poise.edit.blend import OVER, Blend
from poise.edit.cycle import Loop, TimeWarpEdit
from poise.edit.pose import Carry, Mirror, Offset, TrunkEdit
from poise.edit.reach import Reach, ReachGoal
from poise.edit.take import Edit, Span
from poise.edit.travel import PathEdit, StrideEdit, TurnEdit
from poise.edit.uneven_ground import SlopeEdit, StairsEdit
from poise.errors import PoiseError, known_name
from poise.forms import EDIT_FORMS

LONGEST = 4000  # characters of a text
_TIME = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_WHOLE = re.compile(
    r"(?P<name>\w*)(?::(?P<value>.*?))?"
    rf"(?:@(?P<start>{_TIME})(?:-(?P<end>{_TIME})?)?)?"
    r"(?P<options>(?:,\w+=[^,]*)*)"
)


def parse_edit(text: str) -> Edit:
    """The edit that a text describes. A PoiseError names the text and the position of the mistake."""
    if len(text) > LONGEST:
        raise PoiseError(f"edit '{text[:40]}...': has more than {LONGEST} characters")
    match = _WHOLE.fullmatch(text)
    name = match["name"] if match else re.split(r"[:@,]", text)[0]
    known_name("edit", name, EDIT_FORMS)
    words = _EditText(text, name, match)
    if match is None:
        raise words.error("this is not an edit", len(name))
    try:
        edit = _READERS[name](words)
    except PoiseError as error:
        raise error if str(error).startswith("edit '") else words.error(str(error), 0) from error
    words.finish()
    return edit


class _EditText:
    """The parts of an edit's text. `option` removes an option; `finish` complains about options that remain."""

    def __init__(self, text: str, name: str, match: re.Match[str] | None) -> None:
        self._text, self._name, self._match = text, name, match
        self._options: dict[str, tuple[str, int]] = {}
        if match is not None:
            for found in re.finditer(r",(\w+)=([^,]*)", match["options"]):
                self._options[found[1]] = (found[2], match.start("options") + found.start(2))

    def error(self, what: str, place: int) -> PoiseError:
        """A PoiseError with the message `what` at the position `place` in the text."""
        form = EDIT_FORMS[self._name][0]
        return PoiseError(f"edit '{self._text}', character {place + 1}: {what.rstrip('.')}. Form: {form}")

    def value(self) -> tuple[str, int]:
        """The value after the edit's name, and its position in the text. Raises a PoiseError if there is no value."""
        assert self._match is not None
        if not self._match["value"]:
            raise self.error(f"'{self._name}' needs a value", len(self._name))
        return self._match["value"], self._match.start("value")

    def has_value(self) -> bool:
        """Whether the edit has a value after its name."""
        return bool(self._match and self._match["value"])

    def number(self, text: str, place: int) -> float:
        """Parse a number. `text` is at position `place` in the edit's text, for errors."""
        try:
            number = float(text)
        except ValueError:
            raise self.error(f"'{text}' is not a number", place) from None
        if not abs(number) < 1e6:
            raise self.error(f"{text} is out of range", place)
        return number

    def numbers(self, text: str, place: int, counts: tuple[int, ...]) -> tuple[float, ...]:
        """Parse numbers separated by colons. `counts`: how many numbers are permitted. `place` as in `number`."""
        pieces = text.split(":")
        if len(pieces) not in counts:
            wanted = " or ".join(str(c) for c in counts)
            raise self.error(f"'{text}' must be {wanted} number(s) separated by colons", place)
        starts = [place + sum(len(p) + 1 for p in pieces[:i]) for i in range(len(pieces))]
        return tuple(self.number(piece, at) for piece, at in zip(pieces, starts, strict=True))

    def listed(self) -> list[tuple[str, int]]:
        """The pieces of the value, which slashes separate, each with its position in the text."""
        text, place = self.value()
        pieces = text.split("/")
        return [(piece, place + sum(len(p) + 1 for p in pieces[:i])) for i, piece in enumerate(pieces)]

    def assigned(self, text: str, place: int) -> tuple[str, str, int]:
        """Split NAME=REST: the name, the rest, and the rest's position in the edit's text."""
        name, equals, rest = text.partition("=")
        if not (name and equals and rest):
            raise self.error(f"'{text}' must be NAME=NUMBERS", place)
        return name, rest, place + len(name) + 1

    def option(self, key: str) -> tuple[str, int] | None:
        """Remove the option `key`; return its value and the value's position in the text, or None if not given."""
        return self._options.pop(key, None)

    def seconds(self, key: str, otherwise: float) -> float:
        """The value of the option `key`, a number (in s, for `edge` in m); `otherwise` if the option is not given."""
        found = self.option(key)
        return otherwise if found is None else self.number(*found)

    def span(self, *, end: bool = True, ease: bool = True, needed: bool = False) -> Span:
        """The edit's time span. `end`, `ease`: whether the text may have these. `needed`: whether a start is needed."""
        assert self._match is not None
        if self._match["end"] and not end:
            raise self.error(f"'{self._name}' takes a start but no end", self._match.start("end"))
        if needed and not self._match["start"]:
            raise self.error(f"'{self._name}' needs a start, such as @2", len(self._text))
        start, stop = (float(self._match[key]) if self._match[key] else None for key in ("start", "end"))
        given = self.option("ease") if ease else None
        return Span(start, stop, None if given is None else self.number(*given))

    def finish(self) -> None:
        """Raise a PoiseError if an option was given that nobody asked for by `option`."""
        for key, (_, place) in self._options.items():
            raise self.error(f"'{self._name}' has no option '{key}'", place - len(key) - 1)


def _parse_offset(words: _EditText) -> Offset:
    joint, rest, place = words.assigned(*words.value())
    return Offset(joint, words.numbers(rest, place, (1, 2, 3)), words.span())


def _parse_reach(words: _EditText) -> Reach:
    goals = []
    for piece, place in words.listed():
        part, rest, at = words.assigned(piece, place)
        goals.append(ReachGoal(part, _xyz(words.numbers(rest, at, (3,)))))
    to, point = words.option("to"), words.option("point")
    if to is not None and to[0] != "world":
        raise words.error("'to' can only be 'world'", to[1])
    offset = None if point is None else _xyz(words.numbers(*point, (3,)))
    return Reach(tuple(goals), to is not None, offset, words.span())


def _parse_stride(words: _EditText) -> StrideEdit:
    text, place = words.value()
    if text.startswith("x"):
        return StrideEdit(factor=words.number(text[1:], place + 1), span=words.span())
    if text[0] not in "+-":
        raise words.error("write +M or -M for metres, xFACTOR for a factor", place)
    return StrideEdit(metres=words.number(text, place), span=words.span())


def _parse_path(words: _EditText) -> PathEdit:
    points = [words.numbers(piece, place, (2,)) for piece, place in words.listed()]
    return PathEdit(tuple((x, y) for x, y in points), words.span(end=False, ease=False))


def _parse_stairs(words: _EditText) -> StairsEdit:
    rise, run, count = words.numbers(*words.value(), (3,))
    if count != round(count):
        raise words.error(f"the number of steps must be whole, not {count:g}", words.value()[1])
    edge = words.seconds("edge", StairsEdit.edge)
    return StairsEdit(rise, run, round(count), edge, words.span(end=False, ease=False))


def _parse_loop(words: _EditText) -> Loop:
    count = words.number(*words.value()) if words.has_value() else None
    if count is not None and count != round(count):
        raise words.error(f"the number of cycles must be whole, not {count:g}", words.value()[1])
    over, straight = words.seconds("over", OVER), words.option("straight")
    if straight is not None and straight[0] not in ("yes", "no"):
        raise words.error("'straight' is yes or no", straight[1])
    span = words.span(end=False, ease=False)
    return Loop(None if count is None else round(count), over, straight is not None and straight[0] == "yes", span)


def _parse_mirror(words: _EditText) -> Mirror:
    if words.has_value():
        raise words.error("'mirror' takes no value", words.value()[1])
    return Mirror(words.seconds("over", OVER), words.span(end=False, ease=False))


def _parse_blend(words: _EditText) -> Blend:
    entry = words.option("from")
    span = words.span(end=False, ease=False, needed=True)
    return Blend(words.value()[0], words.seconds("over", OVER), None if entry is None else words.number(*entry), span)


def _xyz(values: tuple[float, ...]) -> tuple[float, float, float]:
    x, y, z = values
    return x, y, z


_READERS: dict[str, Callable[[_EditText], Edit]] = {
    "offset": _parse_offset,
    "reach": _parse_reach,
    "trunk": lambda words: TrunkEdit(words.number(*words.value()), words.span()),
    "carry": lambda words: Carry(words.value()[0], words.span()),
    "warp": lambda words: TimeWarpEdit(words.number(*words.value()), words.span()),
    "stride": _parse_stride,
    "turn": lambda words: TurnEdit(words.number(*words.value()), words.span(ease=False)),
    "path": _parse_path,
    "slope": lambda words: SlopeEdit(words.number(*words.value()), words.span(end=False, ease=False)),
    "stairs": _parse_stairs,
    "mirror": _parse_mirror,
    "loop": _parse_loop,
    "blend": _parse_blend,
}
