"""Motions that are not ours to ship: what a public database has, fetched by name and kept in the user's cache."""

from poise.library.cache import cache_folder, kept, motion_file
from poise.library.fetch import fetch
from poise.library.manifest import Capture, Library, cmu

__all__ = ["Capture", "Library", "cache_folder", "cmu", "fetch", "kept", "motion_file"]
