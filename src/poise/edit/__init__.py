"""Edits of motions: from clip to clip, and while a motion is performed."""
