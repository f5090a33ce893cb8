"""``python -m poise``."""

import sys

from poise.cli.main import main

sys.exit(main())
