"""The HIERARCHY section of a BVH file: a skeleton as nested braces."""

import re
from collections.abc import Iterator

import numpy as np

from poise.arrays import Array, readonly
from poise.motion.clip import file_convention
from poise.motion.skeleton import End, Skeleton, depth_first_joints
from poise.motion.text import TextFile, quoted_text

DEEPEST = 1000  # largest nesting of joints; a deeper file is rejected

_CHANNELS = {f"{axis}{kind}".lower(): f"{axis}{kind}" for axis in "XYZ" for kind in ("position", "rotation")}
_TIP = -1  # marks the brace of an End Site on the stack of open braces


def read_bvh_hierarchy(source: TextFile) -> tuple[Skeleton, int]:
    """The skeleton in the file's unit and axes, and the number of the line with the word MOTION."""
    tree = _HierarchyParser(source)
    line = 1
    for line, statement in _bvh_statements(source):
        if tree.parse_statement(line, statement):
            return tree.skeleton(), line
    raise source.fault(line, "the file ends before its MOTION section")


def _bvh_statements(source: TextFile) -> Iterator[tuple[int, str]]:
    """Line number and text of each statement: a brace, or the text between braces and line ends."""
    for number, line in enumerate(source.lines, 1):
        for piece in re.split("([{}])", line):
            if statement := piece.strip():
                yield number, statement


class _HierarchyParser:
    """Parser state: the joints read so far and the braces that are open."""

    def __init__(self, source: TextFile) -> None:
        self.source = source
        self.names: list[str] = []
        self.parents: list[int] = []
        self.offsets: list[Array | None] = []
        self.channels: list[tuple[str, ...]] = []
        self.ends: list[tuple[int, Array | None]] = []
        self.open: list[int] = []  # joints whose braces are open, or _TIP
        self.awaited: int | None = None  # the joint, or _TIP, whose brace must open next

    def parse_statement(self, line: int, statement: str) -> bool:
        """Add a statement to the tree; return true at the word MOTION, which ends the hierarchy."""
        keyword, *words = statement.split()
        keyword = keyword.lower()
        if keyword == "{" and self.awaited is None:
            raise self.source.fault(line, "unexpected '{'")
        if keyword != "{" and self.awaited is not None:
            raise self.source.fault(line, f"expected '{{', not {quoted_text(statement)}")
        if keyword == "{":
            self._open_brace(line)
        elif keyword == "}":
            self._close_brace(line)
        elif keyword in ("root", "joint"):
            self._begin_joint(line, keyword, statement[len(keyword) :].strip())
        elif keyword == "end":
            self.ends.append((self._open_joint(line, "an End Site"), None))
            self.awaited = _TIP
        elif keyword == "offset":
            self._read_offset(line, words)
        elif keyword == "channels":
            self._read_channels(line, words)
        elif keyword == "motion" and self.open:
            raise self.source.fault(line, f"MOTION while {len(self.open)} '}}' are missing")
        elif keyword == "motion" and not self.names:
            raise self.source.fault(line, "MOTION before any ROOT")
        elif keyword != "motion" and (keyword != "hierarchy" or self.names):
            raise self.source.fault(line, f"{quoted_text(statement)} does not belong in a BVH hierarchy")
        return keyword == "motion"

    def skeleton(self) -> Skeleton:
        """The skeleton of all joints read so far."""
        offsets = readonly([o for o in self.offsets if o is not None])
        tips = sorted(((joint, o) for joint, o in self.ends if o is not None), key=lambda tip: tip[0])
        ends = tuple(End(joint, readonly(offset)) for joint, offset in tips)
        return Skeleton(tuple(self.names), tuple(self.parents), offsets, ends, file_convention(tuple(self.channels)))

    def _open_joint(self, line: int, what: str) -> int:
        if not self.open or self.open[-1] == _TIP:
            raise self.source.fault(line, f"{what} outside of the braces of a joint")
        return self.open[-1]

    def _open_brace(self, line: int) -> None:
        assert self.awaited is not None
        if len(self.open) == DEEPEST:
            raise self.source.fault(line, f"joints nest deeper than {DEEPEST}")
        self.open.append(self.awaited)
        self.awaited = None

    def _close_brace(self, line: int) -> None:
        if not self.open:
            raise self.source.fault(line, "'}' without its '{'")
        joint = self.open.pop()
        if joint != _TIP and self.offsets[joint] is None:
            raise self.source.fault(line, f"joint {quoted_text(self.names[joint])} has no OFFSET")
        if joint == _TIP and self.ends[-1][1] is None:
            raise self.source.fault(line, "an End Site has no OFFSET")

    def _begin_joint(self, line: int, keyword: str, name: str) -> None:
        if keyword == "root" and self.names:
            raise self.source.fault(line, "a second ROOT; one figure per file")
        if not name:
            raise self.source.fault(line, "a joint without a name")
        self.parents.append(-1 if keyword == "root" else self._open_joint(line, "a JOINT"))
        self.awaited = len(self.names)
        self.names.append(name)
        self.offsets.append(None)
        self.channels.append(())

    def _read_offset(self, line: int, words: list[str]) -> None:
        if len(words) != 3:
            raise self.source.fault(line, f"OFFSET has {len(words)} numbers instead of 3")
        offset = np.array([self.source.number(word, line) for word in words])
        if self.open and self.open[-1] == _TIP:
            self.ends[-1] = self.ends[-1][0], offset
        else:
            self.offsets[self._open_joint(line, "OFFSET")] = offset

    def _read_channels(self, line: int, words: list[str]) -> None:
        if not words or words[0] != str(len(words) - 1):
            raise self.source.fault(line, "CHANNELS needs a count and as many names")
        for word in words[1:]:
            if word.lower() not in _CHANNELS:
                valid = ", ".join(_CHANNELS.values())
                raise self.source.fault(line, f"{quoted_text(word)} is not a channel; valid: {valid}")
        self.channels[self._open_joint(line, "CHANNELS")] = tuple(_CHANNELS[word.lower()] for word in words[1:])


def bvh_hierarchy_lines(skeleton: Skeleton, channels: tuple[tuple[str, ...], ...]) -> list[str]:
    """The lines of the HIERARCHY section of a skeleton in its file's unit and axes."""
    tips: dict[int, list[End]] = {}
    for end in skeleton.ends:
        tips.setdefault(end.joint, []).append(end)
    lines: list[str] = ["HIERARCHY"]
    open_joints: list[int] = []
    for joint in depth_first_joints(skeleton.parents):
        while open_joints and open_joints[-1] != skeleton.parents[joint]:
            open_joints.pop()
            lines.append("\t" * len(open_joints) + "}")
        pad = "\t" * len(open_joints)
        names = " ".join((str(len(channels[joint])), *channels[joint]))
        lines += [f"{pad}{'JOINT' if open_joints else 'ROOT'} {skeleton.names[joint]}", f"{pad}{{"]
        lines += [f"{pad}\tOFFSET {_offset_text(skeleton.offsets[joint])}", f"{pad}\tCHANNELS {names}"]
        for end in tips.get(joint, []):
            lines += [f"{pad}\tEnd Site", f"{pad}\t{{", f"{pad}\t\tOFFSET {_offset_text(end.offset)}", f"{pad}\t}}"]
        open_joints.append(joint)
    return [*lines, *("\t" * k + "}" for k in reversed(range(len(open_joints))))]


def _offset_text(offset: Array) -> str:
    """Three numbers with 15 digits, so that round numbers are round again after a conversion of units and back."""
    return " ".join(np.format_float_positional(x + 0.0, 15, unique=False, fractional=False, trim="-") for x in offset)
