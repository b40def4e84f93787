"""`python -m twin` is the command `twin`."""

from __future__ import annotations

import sys

from twin.cli import main

if __name__ == "__main__":
    sys.exit(main())
