"""Motions that ship with Poise: authored sources, finished references, behaviours, and steps for steering."""
