"""`python -m twin` is the command `twin`, which begins here, too."""

from __future__ import annotations

import sys

try:
    from twin.cli import main
except KeyboardInterrupt:  # Ctrl-C during the first imports
    sys.exit(130)

if __name__ == "__main__":
    sys.exit(main())
