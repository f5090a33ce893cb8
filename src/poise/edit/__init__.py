"""Edits: the animator's levers on a motion, from clip to clip and while it is performed."""
