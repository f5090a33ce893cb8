"""Recordings and motions in other people's formats."""

from poise.export.formats import FORMATS, export
from poise.export.sources import read_source

__all__ = ["FORMATS", "export", "read_source"]
