"""What the joints of a humanoid are called: the naming families, and how a name is taken apart.

A name is read as a side and a stem: "mixamorig:LeftUpLeg", "Bip01 L Thigh", "thigh_l", "lfemur". One stem may mean
different joints in different families ("shoulder", "leg", "foot"), so a family is accepted or refused as a whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

PARTS = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
_SIDES = {"left": "left", "l": "left", "lft": "left", "right": "right", "r": "right", "rgt": "right"}
_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SHARED = 0.7  # of all names: a token at the beginning or end of so many is decoration, such as "mixamorig" or "jnt"


@dataclass(frozen=True)
class Family:
    """A naming habit: stem to part for the limbs, and what gives it away."""

    name: str
    parts: Mapping[str, str]
    sign: str  # a pattern, searched in each lower-case name, that tells it from families with the same stems


def _family(name: str, sign: str, **stems: str) -> Family:
    """Each part's stems as one text: shank="leg calf"."""
    return Family(name, {stem: part for part, text in stems.items() for stem in text.split()}, sign)


_MAYA = {"thigh": "upleg", "shank": "leg", "foot": "foot", "clavicle": "shoulder", "upper_arm": "arm",
         "forearm": "forearm", "hand": "hand"}  # fmt: skip
_SURGEON = {"thigh": "hip", "shank": "knee", "foot": "ankle", "clavicle": "collar clavicle", "upper_arm": "shoulder",
            "forearm": "elbow", "hand": "wrist"}  # fmt: skip
_PAINTER = {"foot": "foot", "toes": "toe toes toe0 toebase ball", "clavicle": "clavicle shoulder collar",
            "upper_arm": "upperarm", "forearm": "forearm lowerarm", "hand": "hand"}  # fmt: skip

FAMILIES = (
    _family("lafan1", r"lefttoe$", **_MAYA, toes="toe"),
    _family("mixamo", r"mixamorig|toe_?end|headtop", **_MAYA, toes="toebase"),
    _family("cmu", r"hipjoint|fingerbase", **_MAYA, toes="toebase"),
    _family("rokoko", r"leftshin|spine4", **{**_PAINTER, "upper_arm": "arm upperarm"}, thigh="thigh", shank="shin"),
    _family("soma", r"leftshin", **{**_PAINTER, "upper_arm": "arm upperarm"}, thigh="leg", shank="shin"),
    _family("biped", r"bip\d", **_PAINTER, thigh="thigh", shank="calf"),
    _family("unreal", r"thigh_l|spine_01", **_PAINTER, thigh="thigh", shank="calf"),
    _family("rigify", r"shin\W", **_PAINTER, thigh="thigh", shank="shin"),
    _family("poser", r"shldr", **{**_PAINTER, "upper_arm": "shldr shldrbend"}, thigh="thigh thighbend", shank="shin"),
    _family("xsens", r"^t8$|^l5$", **_PAINTER, thigh="upperleg", shank="lowerleg"),
    _family("xsens", r"chest4", **_SURGEON, toes="toe"),
    _family("unity", r"upper_?leg", **_PAINTER, thigh="upperleg", shank="lowerleg"),
    _family("amass", r"left_hip|l_hip|spine3", **_SURGEON, toes="foot"),
    _family("classic", r"leftcollar", **_SURGEON, toes="toe toes"),
    _family("asf", r"lfemur", thigh="femur", shank="tibia", foot="foot", toes="toes", clavicle="clavicle",
            upper_arm="humerus", forearm="radius", hand="wrist hand"),
)  # fmt: skip
_STEMS = frozenset(stem for family in FAMILIES for stem in family.parts)


def spelled(names: Sequence[str]) -> list[tuple[str, str]]:
    """(side, stem) of each name, lower case; the side is "" for the middle. Decoration common to all is left out."""
    return [_sided(tokens) for tokens in _undecorated([_tokens(name) for name in names])]


def has_tail(names: Iterable[str]) -> bool:
    """Does any joint call itself a tail? Ponytails and coat-tails are hair and cloth."""
    return any("tail" in _tokens(name) for name in names)


def family_parts(spellings: Sequence[tuple[str, str]], family: Family) -> dict[str, int]:
    """left_thigh ... to the first joint that a family calls so."""
    found: dict[str, int] = {}
    for joint, (side, stem) in enumerate(spellings):
        if side and stem in family.parts:
            found.setdefault(f"{side}_{family.parts[stem]}", joint)
    return found


def shows(names: Iterable[str], family: Family) -> bool:
    """Does the family's sign appear in any name?"""
    return any(re.search(family.sign, name.lower()) for name in names)


def _tokens(name: str) -> list[str]:
    plain = re.split(r"[:|]", name)[-1]
    return [token.lower() for token in _TOKEN.findall(plain)]


def _undecorated(names: list[list[str]]) -> list[list[str]]:
    """Names without the tokens that most of them begin or end with."""
    for end in (0, -1):
        while True:
            counts = Counter(tokens[end] for tokens in names if len(tokens) > 1)
            token, count = counts.most_common(1)[0] if counts else ("", 0)
            if count < 2 or count < _SHARED * len(names):
                break
            names = [_without(tokens, end, token) for tokens in names]
    return names


def _without(tokens: list[str], end: int, token: str) -> list[str]:
    if not tokens or tokens[end] != token:
        return tokens
    return tokens[1:] if end == 0 else tokens[:-1]


def _sided(tokens: list[str]) -> tuple[str, str]:
    for k, token in enumerate(tokens):
        if token in _SIDES and len(tokens) > 1:
            return _SIDES[token], "".join(tokens[:k] + tokens[k + 1 :])
    stem = "".join(tokens)
    if stem[:1] in ("l", "r") and stem[1:] in _STEMS:  # lfemur, rtoes
        return _SIDES[stem[0]], stem[1:]
    return "", stem
