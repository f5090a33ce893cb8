"""Mutations of valid inputs: bytes, words, numbers, nesting, repetition, truncation; and of arrays in archives."""

import io
import json
import re
import warnings
import zipfile
from random import Random

import numpy as np

LONGEST = 200_000
WORD = re.compile(rb"-?\d+\.?\d*(?:[eE][-+]?\d+)?|\w+|\s+|[^\w\s]")
NUMBER = re.compile(rb"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
EXTREMES = [
    b"0", b"-0", b"-1", b"1", b"2", b"0.5", b"1e-300", b"1e300", b"1.7e308", b"1e999", b"-1e999", b"nan", b"inf", b"-inf",
    b"NaN", b"Infinity", b"1e-9", b"255", b"256", b"32768", b"65536", b"1000000", b"2147483647", b"2147483648",
    b"-2147483649", b"4294967295", b"9223372036854775807", b"9223372036854775808", b"1" + b"0" * 400, b"9" * 5000, b"0x10",
    b"1_000", b"1__0", b"\xd9\xa1", b"\xc2\xbd", b"", b"true", b"null", b"1e", b"1.", b".5", b"--1", b"1:2", b"[]", b"{}",
]  # fmt: skip
ODD = [
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\n", b"\r", b"\t", b" ", b"'", b'"', b"\\", b"\\ud800", b"<", b">",
    b"[", b"]", b"{", b"}", b"(", b",", b":", b";", b"=", b"@", b"#", b"..", b"/", b"/dev/zero", b"../../etc/passwd",
    b"%s", b"\xe2\x80\xae", b'"""', b"'''", b"[[", b"]]", b"e9", b"-", b"+", b"\x1b[0m",
]  # fmt: skip
PAIRS = [
    (b"[", b"]"),
    (b"{", b"}"),
    (b"(", b")"),
    (b'{"a":', b"}"),
    (b"{a=", b"}"),
    (b"<body>", b"</body>"),
    (b"", b""),
]


def mutated(data: bytes, other: bytes, words: list[bytes], random: Random) -> bytes:
    """Between one and four mutations of `data`; `other` is a second input, `words` are from all inputs."""
    if data[:2] == b"PK" and random.random() < 0.85:
        return _mutated_archive(data, words, random)
    for _ in range(random.choice((1, 1, 2, 3, 4))):
        data = random.choice(_MUTATIONS)(data, other, words, random)
    return data[:LONGEST]


def words_of(inputs: list[bytes]) -> list[bytes]:
    """The distinct words of some inputs."""
    texts = [data for data in inputs if data[:2] != b"PK"]
    return sorted({word for data in texts for word in WORD.findall(data) if word.strip() and len(word) < 40})


def _place(data, random):
    return random.randint(0, len(data))


def _flip(data, other, words, random):
    if not data:
        return b"\x00"
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 4, 16))):
        out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def _cut_off(data, other, words, random):
    at = _place(data, random)
    return data[:at] if random.random() < 0.8 else data[at:]


def _cut_out(data, other, words, random):
    at = _place(data, random)
    return data[:at] + data[at + random.choice((1, 2, 8, 64, 512)) :]


def _put_in(data, other, words, random):
    at, word = _place(data, random), random.choice(random.choice((ODD, EXTREMES, words or ODD)))
    return data[:at] + word + data[at:]


def _splice(data, other, words, random):
    return data[: _place(data, random)] + other[_place(other, random) :]


def _replace_word(data, other, words, random):
    found = [match for match in WORD.finditer(data[:LONGEST]) if match[0].strip()]
    if not found:
        return data
    match = random.choice(found)
    word = random.choice(random.choice((ODD, EXTREMES, words or ODD)))
    return data[: match.start()] + word + data[match.end() :]


def _replace_number(data, other, words, random):
    found = list(NUMBER.finditer(data[:LONGEST]))
    if not found:
        return data
    match = random.choice(found)
    return data[: match.start()] + random.choice(EXTREMES) + data[match.end() :]


def _swap_words(data, other, words, random):
    found = [match.span() for match in WORD.finditer(data[:LONGEST]) if match[0].strip()]
    if len(found) < 2:
        return data
    (a, b), (c, d) = sorted(random.sample(found, 2))
    return data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


def _repeat(data, other, words, random):
    if random.random() < 0.5:
        lines = data.split(b"\n")
        at = random.randrange(len(lines))
        count = random.choice((1, 2, 10, 200))
        return b"\n".join(lines[:at] + [lines[at]] * count + lines[at:])
    at = _place(data, random)
    piece = data[at : at + random.choice((1, 4, 30, 300))]
    return data[:at] + piece * random.choice((2, 3, 50, 3000)) + data[at:]


def _swap_lines(data, other, words, random):
    lines = data.split(b"\n")
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b"\n".join(lines)


def _drop_line(data, other, words, random):
    lines = data.split(b"\n")
    del lines[random.randrange(len(lines))]
    return b"\n".join(lines)


def _nest(data, other, words, random):
    first, last = random.choice(PAIRS)
    depth = random.choice((1, 3, 40, 300, 3000))
    a, b = sorted((_place(data, random), _place(data, random)))
    return data[:a] + first * depth + data[a:b] + last * depth + data[b:]


_MUTATIONS = [_flip, _cut_off, _cut_out, _put_in, _splice, _replace_word, _replace_word, _replace_number,
              _replace_number, _swap_words, _repeat, _swap_lines, _drop_line, _nest]  # fmt: skip


# -- archives ---------------------------------------------------------------------------------------------------------


def archive(arrays: dict[str, np.ndarray]) -> bytes:
    """A NumPy archive in memory."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _mutated_archive(data, words, random):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            members = {info.filename: file.read(info) for info in file.infolist()}
    except Exception:  # an archive that an earlier mutation damaged
        return _flip(data, b"", words, random)
    if not members:
        return data
    for _ in range(random.choice((1, 1, 2, 3))):
        name = random.choice(list(members))
        members[name] = _mutated_member(members, name, words, random)
    if random.random() < 0.1:
        members.pop(random.choice(list(members)))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def _mutated_member(members, name, words, random):
    content = members[name]
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except Exception:
        return _flip(content, b"", words, random)
    kind = random.random()
    try:
        array = _mutated_array(array, kind, members, words, random)
    except (ValueError, TypeError):  # texts that are no numbers
        return _flip(content, b"", words, random)
    if isinstance(array, bytes):
        return array
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _mutated_array(array, kind, members, words, random):
    if array.dtype.kind == "U" and array.ndim == 0 and kind < 0.9:
        text = str(array)
        if text[:1] == "{" and kind < 0.6:
            array = np.array(_mutated_json(text, words, random))
        else:
            array = np.array(
                mutated(text.encode(), text.encode(), words, random).decode("utf-8", "replace").replace("\0", "")
            )
    elif kind < 0.1:
        raise ValueError
    elif kind < 0.2:
        return members[random.choice(list(members))]
    elif kind < 0.35:
        array = _reshaped(array, random)
    elif kind < 0.5:
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            kinds = (
                ("f8", "f4", "i8", "i1", "u1", "?", "U3", "S2", "c16") if array.dtype.kind in "fiub" else ("S2", "U1")
            )
            array = array.astype(random.choice(kinds)) if array.dtype.kind != "c" else array.real
    elif array.size and array.dtype.kind in "fiub":
        array = np.array(array)
        number = random.choice((0, -1, 1, 2, 1e-300, 1e9, 1e300, np.nan, np.inf, -np.inf, 2**31, -(2**63)))
        with np.errstate(all="ignore"):
            value = np.array(number, float).astype(array.dtype)
        where = random.random()
        if where < 0.7:
            array.flat[random.randrange(array.size)] = value
        elif where < 0.9 and array.ndim:
            array[random.randrange(len(array))] = value
        else:
            array[...] = value
    return array


def _reshaped(array, random):
    how = random.randrange(7)
    if how == 0 or not array.ndim:
        return array[None]
    if how == 1:
        return array[: random.randint(0, len(array))]
    if how == 2:
        return array.ravel()
    if how == 3:
        return np.concatenate([array, array])
    if how == 4:
        return array.T
    if how == 5:
        return np.zeros((0, *array.shape[1:]), array.dtype)
    return array[..., : random.randint(0, array.shape[-1])]


def _mutated_json(text, words, random):
    """A JSON text with one value replaced, removed, or added."""
    try:
        value = json.loads(text)
    except ValueError:
        return text[: random.randint(0, len(text))]
    places = []
    stack = [value]
    while stack:
        outer = stack.pop()
        keys = list(outer) if isinstance(outer, dict) else range(len(outer))
        places += [(outer, key) for key in keys]
        stack += [outer[key] for key in keys if isinstance(outer[key], dict | list)]
    tops = [(value, key) for key in value] if isinstance(value, dict) else []
    for _ in range(random.choice((1, 1, 2))):
        if not places:
            break
        outer, key = random.choice(random.choice((places, tops or places)))
        try:
            found = outer[key]
            if random.random() < 0.15:
                del outer[key]
            elif random.random() < 0.2:
                other, where = random.choice(places)
                outer[key] = other[where]
            else:
                outer[key] = random.choice(_values(found, random))
        except (KeyError, IndexError):  # removed before
            continue
    try:
        return json.dumps(value)
    except (ValueError, RecursionError):
        return text


def _values(found, random):
    deep = []
    for _ in range(random.choice((1, 50, 900))):
        deep = [deep]
    simple = [None, True, False, 0, -1, 1, 2.5, 1e300, 1e-300, float("nan"), float("inf"), 10**25, 10**400, "", "x",
              "\ud800", "a\0b", "nan", "1", [], {}, [True], ["x"], [1, 2, 3], [None] * 3, {"a": 1}, [[1, 2, 3]], deep,
              [float("nan")] * 3, [1e308] * 3]  # fmt: skip
    return [*simple, [found], {"x": found}, str(found)]
