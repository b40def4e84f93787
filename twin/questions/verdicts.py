"""What a comparison of what was seen with what is derived comes to."""

from __future__ import annotations

from typing import Final

DIFFERS: Final = "differs"
OBSERVED_ONLY: Final = "observed-only"
DERIVED_ONLY: Final = "derived-only"
BEHIND: Final = "behind"
AGREES: Final = "agrees"

VERDICTS: Final = (DIFFERS, OBSERVED_ONLY, DERIVED_ONLY, BEHIND, AGREES)
"""All verdicts, worst first."""
