"""Judging recordings: is it physical, and how good is it?"""
