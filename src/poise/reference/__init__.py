"""Motions on bodies that controllers track, and the files that hold prepared motions."""
