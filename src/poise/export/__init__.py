"""Recordings and motions in other people's formats."""
