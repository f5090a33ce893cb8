"""Recordings in other people's formats."""

from poise.export.formats import FORMATS, export

__all__ = ["FORMATS", "export"]
