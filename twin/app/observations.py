"""What `Twin.ingest` says of a text, and why bytes that are no text are not read."""

from twin.feeds.detect import WHY_NOT, detect_bytes
from twin.feeds.observed import Observed

__all__ = ["Observed", "why_not_text"]


def why_not_text(raw: bytes) -> str:
    """Say what bytes are that cannot be read as text; what is said follows the name of a file."""
    return WHY_NOT[detect_bytes(raw)]
