"""The result of `Twin.ingest`, for callers that keep it."""

from twin.feeds.observed import Observed

__all__ = ["Observed"]
