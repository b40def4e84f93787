"""The start of `python -m twin` and of the command `twin`."""

from __future__ import annotations

import sys

try:
    from twin.cli import main
except KeyboardInterrupt:  # Ctrl-C during the first imports
    sys.exit(130)  # `INTERRUPTED` of `twin.cli.output`, which may not be imported yet

if __name__ == "__main__":
    sys.exit(main())
