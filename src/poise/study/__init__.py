"""Experiments that reproduce tables and figures of the papers, or map how robust a controller is."""
