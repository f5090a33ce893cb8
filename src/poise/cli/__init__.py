"""The command line: one module per command."""

from poise.cli.main import build_parser, main

__all__ = ["build_parser", "main"]
