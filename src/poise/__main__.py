"""``python -m poise`` and the command `poise`."""

import sys


def run() -> int:
    """Run the command line; return its exit code. An interrupt while modules are imported is reported as any other."""
    try:
        from poise.cli.main import main

        return main()
    except KeyboardInterrupt:
        print("poise: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(run())
