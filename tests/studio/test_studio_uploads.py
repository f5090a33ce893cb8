"""Names and contents of uploads."""

import pytest

from poise import PoiseError
from poise.studio.transfers import LARGEST, check_content, check_upload, safe_upload_name, store_upload


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("walk.bvh", "walk.bvh"),
        ("../../etc/passwd.bvh", "passwd.bvh"),
        ("C:\\motions\\jump.bvh", "jump.bvh"),
        ("a<script>.bvh", "a_script_.bvh"),
        ("...", "file"),
        ("x" * 500 + ".bvh", "x" * 60 + ".bvh"),
    ],
)
def test_names_are_made_harmless(name, shown):
    assert safe_upload_name(name) == shown


def test_files_are_kept_in_their_folder(tmp_path):
    path = store_upload(tmp_path, "../../out.bvh", b"HIERARCHY")
    assert path == tmp_path / "out.bvh"
    assert path.read_bytes() == b"HIERARCHY"


def test_sizes_and_kinds_are_bounded():
    check_upload("a.bvh", LARGEST)
    for name, size in (("a.bvh", LARGEST + 1), ("a.bvh", 0), ("a.bvh", -5), ("a.npz", 10), ("bvh", 10)):
        with pytest.raises(PoiseError):
            check_upload(name, size)


def test_what_is_not_text_is_refused():
    with pytest.raises(PoiseError, match="text"):
        check_content("a.bvh", b"HIER\0ARCHY")
