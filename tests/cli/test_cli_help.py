"""`--help` and `--version`."""

import re

import pytest
from commanding import COMMANDS

from poise.cli.main import main


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_every_help_has_an_example(command, capsys):
    with pytest.raises(SystemExit) as left:
        main([*command, "--help"])
    assert left.value.code == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert re.search(r"^Example: poise ", out, re.MULTILINE)


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_examples_can_be_parsed(command, capsys):
    from poise.cli.main import build_parser

    with pytest.raises(SystemExit):
        main([*command, "--help"])
    example = capsys.readouterr().out.split("Example: poise ")[1].split()
    chosen = build_parser().parse_args(example)
    assert chosen.run is not None
    if command:
        assert example[0] == command[0]


def test_no_command_shows_the_help_and_fails(capsys):
    assert main([]) == 2
    assert "perform" in capsys.readouterr().out


def test_the_version_is_printed(capsys):
    import poise

    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"poise {poise.__version__}\n"
