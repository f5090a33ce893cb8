"""Skeletons, clips of motion, and the file formats they are read from and written to."""
